// SPDX-License-Identifier: MIT
#include <slo/workload/quota_build.hpp>

#define BOOST_TEST_MODULE workload_quota_build
#include <boost/test/unit_test.hpp>

#include "../../support/quota_files.hpp"

#include <string>

using namespace slo;

namespace {

std::string refused(const workload::QuotaInput& input, const std::string& kind = "quota")
{
    workload::BuildOptions options;
    options.output = "/dev/null";
    workload::Build build("quota", options, [](const std::string&) {});
    try {
        workload::QuotaBuild(build, input, kind);
    } catch (const Error& error) {
        return error.what();
    }
    return "taken";
}

} // namespace

BOOST_AUTO_TEST_CASE(what_cannot_be_built_is_said)
{
    const test::QuotaFiles files(test::small_quota_text(), 12);
    BOOST_TEST(refused(files.input()) == "taken");
    auto input = files.input();
    input.limits.every = 2;
    BOOST_TEST(refused(input) == input.pool + ": gives 6 conversations, the route takes 12, each once");
    BOOST_TEST(refused(files.input(), "boundary") == files.input().spec + ": kind: is quota, not boundary");
    input.limits.every = 0;
    BOOST_TEST(refused(input) == "--every: must be 1 or more");
    input = files.input();
    input.limits.most = 0;
    BOOST_TEST(refused(input) == "--max-pool: must be from 1 to 10000000");
    input = files.input();
    input.pool.clear();
    BOOST_TEST(refused(input) == "--pool: is missing");
    input.spec.clear();
    BOOST_TEST(refused(input) == "--spec: is missing");
    input = files.input();
    input.tokenizer = tokens::TokenizerOptions::required();
    BOOST_TEST(refused(input).starts_with("--tokenizer: must be given"));
}

BOOST_AUTO_TEST_CASE(rows_are_written_in_any_order_and_keep_their_ids)
{
    const test::QuotaFiles files(test::small_quota_text(), 20);
    const test::ScratchFile output;
    workload::BuildOptions options;
    options.output = output.path();
    workload::Build build("quota", options, [](const std::string&) {});
    workload::QuotaBuild route(build, files.input(), "quota");
    const auto& bucket = route.spec().buckets[0];
    route.fill({{bucket.name, bucket.rows, &bucket, nullptr}}, 1);
    route.write({2, 0});
    build.finish({});
    io::LineReader lines(output.path());
    const auto first = *io::next_object(lines);
    const auto second = *io::next_object(lines);
    BOOST_TEST(first.at("conv_id").as_string() == "q-003");
    BOOST_TEST(first.at("ts").as_int64() == 100);
    BOOST_TEST(second.at("conv_id").as_string() == "q-001");
    BOOST_TEST(second.at("ts").as_int64() == 102);
    BOOST_TEST(to_json(build.facts()["groups"]) == R"({"short":4})");
}
