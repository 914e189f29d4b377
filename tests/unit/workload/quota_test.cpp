// SPDX-License-Identifier: MIT
#include <slo/workload/quota.hpp>

#define BOOST_TEST_MODULE workload_quota
#include <boost/test/unit_test.hpp>

#include "../../support/built_route.hpp"
#include "../../support/quota_files.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

using namespace slo;

namespace {

workload::QuotaOptions options(const test::QuotaFiles& files, std::optional<std::int64_t> seed = {})
{
    workload::QuotaOptions made;
    made.input = files.input();
    made.seed = seed;
    return made;
}

std::vector<std::string> buckets(const test::BuiltRoute& route)
{
    std::vector<std::string> names;
    for (const auto& row : route.rows)
        names.emplace_back(row.at("model").at("bucket").as_string());
    return names;
}

std::size_t longest_run(const std::vector<std::string>& names)
{
    std::size_t longest = 0;
    std::size_t run = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        run = i > 0 && names[i] == names[i - 1] ? run + 1 : 1;
        longest = std::max(longest, run);
    }
    return longest;
}

} // namespace

BOOST_AUTO_TEST_CASE(quotas_are_exact_and_nothing_clusters)
{
    const test::QuotaFiles files(test::small_quota_text(), 40);
    for (int seed = 0; seed < 20; ++seed) {
        const auto names = buckets(test::build_route(options(files, seed)));
        BOOST_TEST(std::count(names.begin(), names.end(), "short") == 4);
        BOOST_TEST(std::count(names.begin(), names.end(), "mid") == 6);
        BOOST_TEST(std::count(names.begin(), names.end(), "long") == 2);
        BOOST_TEST(longest_run(names) <= 2);
    }
}

BOOST_AUTO_TEST_CASE(the_seed_chooses_the_order_alone)
{
    const test::QuotaFiles files(test::small_quota_text(), 40);
    const auto first = test::build_route(options(files));
    BOOST_TEST(test::build_route(options(files)).text == first.text);
    BOOST_TEST(test::build_route(options(files, 7)).text == first.text); // the spec's
    const auto other = test::build_route(options(files, 8));
    BOOST_TEST(other.text != first.text);
    std::map<std::string, std::string> prompts;
    for (const auto& row : first.rows)
        prompts[std::string(row.at("conv_id").as_string())] = to_json(row.at("body"));
    for (const auto& row : other.rows)
        BOOST_TEST(prompts.at(std::string(row.at("conv_id").as_string())) == to_json(row.at("body")));
    BOOST_TEST(first.manifest.at("seed").as_int64() == 7);
    BOOST_TEST(to_json(first.manifest.at("groups")) == R"({"short":4,"mid":6,"long":2})");
    BOOST_TEST(first.manifest.at("sources").as_array().size() == 2);
}

BOOST_AUTO_TEST_CASE(an_order_without_a_limit_is_pythons)
{
    auto text = test::small_quota_text();
    text.replace(text.find(", longest_run: 2"), 16, "");
    const test::QuotaFiles files(text, 40);
    std::string ids;
    for (const auto& row : test::build_route(options(files)).rows)
        ids += std::string(row.at("conv_id").as_string()).substr(2) + " ";
    // python3 -c 'import random; l = list(range(1, 13)); random.Random(7).shuffle(l); print(l)'
    BOOST_TEST(ids == "008 012 004 011 009 005 010 002 001 007 003 006 ");
}

BOOST_AUTO_TEST_CASE(quotas_that_must_cluster_are_refused_before_the_work)
{
    auto text = test::small_quota_text();
    text.replace(text.find("rows: 6"), 7, "rows: 60");
    const test::QuotaFiles files(text, 80);
    BOOST_CHECK_EXCEPTION(test::build_route(options(files)), Error, [](const Error& error) {
        return std::string(error.what()) == "no order keeps runs of one bucket at 2 or less";
    });
}
