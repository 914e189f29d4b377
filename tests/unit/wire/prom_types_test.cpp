// SPDX-License-Identifier: MIT
// Names of types, and accounts of two texts added up.

#include <slo/wire/prom_types.hpp>

#define BOOST_TEST_MODULE wire_prom_types
#include <boost/test/unit_test.hpp>

#include <cstddef>

using namespace slo::wire;

BOOST_AUTO_TEST_CASE(a_type_has_its_name)
{
    for (std::size_t i = 0; i < prom_type_names.size(); ++i) {
        const auto type = static_cast<PromType>(i);
        BOOST_TEST((prom_type_of(name_of(type)) == type));
    }
    BOOST_TEST((prom_type_of("unknown") == PromType::untyped));
    BOOST_TEST(!prom_type_of("number").has_value());
}

BOOST_AUTO_TEST_CASE(reports_add_up)
{
    PromReport bad;
    bad.samples = 2;
    bad.exemplars = 1;
    bad.malformed_lines = 1;
    bad.first_malformed_line = 2;
    bad.first_reason = "no value";
    PromReport html;
    html.malformed_lines = 3;
    html.first_malformed_line = 1;
    html.first_reason = "no metric name";
    html.looks_like_html = html.cut_last_line = true;

    const auto sum = add_reports(bad, html);
    BOOST_TEST(sum.samples == 2U);
    BOOST_TEST(sum.exemplars == 1U);
    BOOST_TEST(sum.malformed_lines == 4U);
    BOOST_TEST(sum.first_malformed_line == 2U);
    BOOST_TEST(sum.first_reason == "no value");
    BOOST_TEST((sum.looks_like_html && sum.cut_last_line && sum.truncated()));
    BOOST_TEST(add_reports(PromReport{}, html).first_malformed_line == 1U);
}

BOOST_AUTO_TEST_CASE(an_end_that_is_missing_in_one_shows_in_the_sum)
{
    PromReport classic;
    PromReport whole;
    whole.openmetrics = whole.saw_eof = true;
    PromReport cut;
    cut.openmetrics = true;
    BOOST_TEST(!add_reports(classic, classic).truncated());
    BOOST_TEST(!add_reports(classic, whole).truncated());
    BOOST_TEST(!add_reports(whole, whole).truncated());
    BOOST_TEST(add_reports(cut, whole).truncated());
    BOOST_TEST(add_reports(whole, cut).truncated());
    BOOST_TEST(add_reports(cut, classic).truncated());
    BOOST_TEST(cut.truncated());
}
