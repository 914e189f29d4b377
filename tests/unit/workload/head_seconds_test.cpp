// SPDX-License-Identifier: MIT
#include <slo/workload/head_seconds.hpp>

#define BOOST_TEST_MODULE workload_head_seconds
#include <boost/test/unit_test.hpp>

#include "../../support/built_route.hpp"

#include <cmath>
#include <fstream>
#include <string>

using namespace slo;

namespace {

test::BuiltRoute head(std::optional<double> qps, std::optional<double> seconds, int rows)
{
    const test::ScratchFile file;
    std::ofstream route(file.path());
    for (int row = 0; row < rows; ++row)
        route << "{\"ts\":" << row << ",\"conv_id\":\"k" << row << "\",\"body\":{\"prompt\":\"hi\"}}\n";
    route.close();
    workload::HeadSecondsOptions options;
    options.qps = qps;
    options.seconds = seconds;
    options.files = {file.path()};
    return test::build_route(options);
}

} // namespace

BOOST_AUTO_TEST_CASE(exactly_the_rows_of_the_run)
{
    BOOST_TEST(head(0.5, 360, 200).rows.size() == 180U);
    BOOST_TEST(head(0.5, 360, 180).rows.size() == 180U);
    BOOST_TEST(head(8.2, 30, 300).rows.size() == 246U);
    BOOST_TEST(head(1, 0.5, 3).rows.size() == 1U);
    const auto route = head(2, 1.6, 10);
    BOOST_TEST(route.rows.size() == 4U); // due at 0, 0.5, 1 and 1.5 s
    BOOST_TEST(route.rows[3].at("ts") == 3);
    BOOST_TEST(route.manifest.at("rows_needed") == 4);
}

BOOST_AUTO_TEST_CASE(d02_too_few_rows_are_an_error_that_says_how_many)
{
    BOOST_CHECK_EXCEPTION(head(0.5, 360, 5), InputError, [](const InputError& error) {
        return std::string(error.what())
            .ends_with(": needs 180 rows, the route has 5: 175 missing; 36 cycles of it would do");
    });
    BOOST_CHECK_EXCEPTION(head(1, 10, 9), InputError, [](const InputError& error) {
        return std::string(error.what()).ends_with(": 1 missing; 2 cycles of it would do");
    });
    BOOST_CHECK_THROW(head(1, 10, 0), InputError);
}

BOOST_AUTO_TEST_CASE(what_is_no_run_is_refused)
{
    BOOST_CHECK_THROW(head({}, 10, 5), UsageError);
    BOOST_CHECK_THROW(head(1, {}, 5), UsageError);
    for (const double bad : {0.0, -1.0, std::nan(""), 1e300}) {
        BOOST_CHECK_THROW(head(bad, 10, 5), UsageError);
        BOOST_CHECK_THROW(head(1, bad, 5), UsageError);
    }
}
