// SPDX-License-Identifier: MIT
#include <slo/record/run_info.hpp>

#define BOOST_TEST_MODULE record_run_info
#include <boost/test/unit_test.hpp>

#include "../../support/totals_of_run.hpp"

using namespace slo;

BOOST_AUTO_TEST_CASE(what_every_form_says)
{
    record::RoundTerms terms;
    terms.basis = record::LatencyBasis::send;
    json::object summary;
    record::detail::add_own_fields(summary, test::totals_of_run(terms));
    BOOST_TEST(summary.at("e2el_basis") == "send");
    BOOST_TEST(summary.at("achieved_rate").as_double() == 10);
    BOOST_TEST(summary.at("send_lag_p99_ms").as_double() == 1, boost::test_tools::tolerance(0.005001));
    BOOST_TEST(summary.at("errors_by_kind") == (json::object{{"reset", 2}}));
    BOOST_TEST(summary.at("client_saturated_rounds") == 1);
    BOOST_TEST(summary.at("percentile_error").as_double() == 0.005);
}

BOOST_AUTO_TEST_CASE(of_nothing_it_says_null)
{
    json::object summary;
    record::detail::add_own_fields(summary, {});
    BOOST_TEST(summary.at("achieved_rate").is_null());
    BOOST_TEST(summary.at("send_lag_p99_ms").is_null());
    BOOST_TEST(summary.at("errors_by_kind").as_object().empty());
}
