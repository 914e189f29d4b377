// SPDX-License-Identifier: MIT
#include <slo/workload/boundary.hpp>

#define BOOST_TEST_MODULE workload_boundary
#include <boost/test/unit_test.hpp>

#include "../../support/built_route.hpp"
#include "../../support/quota_files.hpp"

#include <string>

using namespace slo;

namespace {

workload::BoundaryOptions options(const test::QuotaFiles& files)
{
    workload::BoundaryOptions made;
    made.input = files.input();
    return made;
}

} // namespace

BOOST_AUTO_TEST_CASE(categories_in_their_order_each_as_promised)
{
    const test::QuotaFiles files(test::small_boundary_text(), 80);
    const auto route = test::build_route(options(files));
    std::string names;
    const auto spec = test::quota_spec(test::small_boundary_text());
    for (const auto& row : route.rows) {
        const auto& assembly = row.at("assembly").as_object();
        const auto name = std::string(assembly.at("boundary_categories").at(0).as_string());
        names += name + " ";
        for (const auto& category : spec.categories)
            if (category.name == name)
                BOOST_TEST(broken_part(category.promise, workload::read_row_facts(
                                                             assembly, row.at("model").as_object())) == "");
    }
    BOOST_TEST(names == "edge edge edge foreign foreign single joined joined late late ");
    BOOST_TEST(test::build_route(options(files)).text == route.text);
    BOOST_TEST(route.rows[0].at("ts").as_int64() == 100);
    BOOST_TEST(route.rows[9].at("ts").as_int64() == 118);
}

BOOST_AUTO_TEST_CASE(an_entry_that_no_row_takes)
{
    auto text = test::small_boundary_text();
    const auto put = [&](const std::string& what, const std::string& by) {
        text.replace(text.find(what), what.size(), by);
    };
    put("every: 3", "every: 1000000");
    put("made_history: {turns: 9", "entry: direct, made_history: {turns: 9"); // the first conversation of all
    put("entry: late, history_last", "history_last");
    put("turns_in: 3, entry: late", "turns_in: 2");
    const test::QuotaFiles files(text, 80);
    BOOST_CHECK_EXCEPTION(test::build_route(options(files)), Error, [](const Error& error) {
        return std::string(error.what()) == "entry 'late': has no row: no category takes it";
    });
}
