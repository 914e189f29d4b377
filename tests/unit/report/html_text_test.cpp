// SPDX-License-Identifier: MIT
// Unit test of report/html_text.hpp.

#include <slo/report/html_text.hpp>

#define BOOST_TEST_MODULE report_html_text
#include <boost/test/unit_test.hpp>

#include <optional>
#include <string>
#include <vector>

using namespace slo;

BOOST_AUTO_TEST_CASE(nothing_of_a_text_is_markup)
{
    BOOST_TEST(report::escaped("<b a=\"1\" c='2'>&amp;</b>") ==
               "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;&lt;/b&gt;");
    BOOST_TEST(report::escaped("a\x01\xFF\nb") == "a???b");
    BOOST_TEST(report::escaped(std::string(100, 'x'), 20).size() < 30U);
}

BOOST_AUTO_TEST_CASE(no_text_ends_a_script)
{
    const auto text = report::script_json(json::object{{"</script>", "<!-- & </SCRIPT >"}});
    BOOST_TEST(text.find_first_of("<>&") == std::string::npos);
    BOOST_TEST((parse_json(text) == json::value{{"</script>", "<!-- & </SCRIPT >"}}));
}

// printf '%s' TEXT | openssl dgst -sha256 -binary | openssl base64
BOOST_AUTO_TEST_CASE(hashes_for_a_policy)
{
    BOOST_TEST(report::policy_hash("") == "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
    BOOST_TEST(report::policy_hash("alert(1)") == "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='");
}

BOOST_AUTO_TEST_CASE(numbers_for_people)
{
    const auto text = [](double value) { return report::shown_number(value); };
    BOOST_TEST(text(0) == "0");
    BOOST_TEST(text(50.76) == "50.76");
    BOOST_TEST(text(0.41083) == "0.4108");
    BOOST_TEST(text(118766) == "118\u2009766");
    BOOST_TEST(text(-1234567.0) == "-1\u2009234\u2009567");
    BOOST_TEST(text(5179) == "5179");
    BOOST_TEST(text(549.81) == "549.8");
    BOOST_TEST(text(100) == "100");
    BOOST_TEST(text(1e-7) == "1e-07");
    BOOST_TEST(report::shown_number(std::nullopt) == "–");
    BOOST_TEST(report::shown_number(0.0 / 0.0, "s") == "–");
    BOOST_TEST(report::shown_number(2.5, "s") == "2.5\u00a0s");
}

BOOST_AUTO_TEST_CASE(a_table_says_what_it_is_and_sets_figures_to_the_right)
{
    using report::Cell;
    const std::vector<report::Cells> rows{{Cell("a<b"), Cell(std::optional(1.5))},
                                          {Cell("c"), Cell(std::optional<double>())}};
    const auto table = report::html_table("All <probes>", {"Name", "Value"}, rows);
    BOOST_TEST(table.find("<caption>All &lt;probes&gt;</caption>") != std::string::npos);
    BOOST_TEST(table.find("<th scope=\"col\" class=\"n\">Value</th>") != std::string::npos);
    BOOST_TEST(table.find("<td>a&lt;b</td><td class=\"n\">1.5</td>") != std::string::npos);
    BOOST_TEST(table.find("<td class=\"n\">–</td>") != std::string::npos);
    BOOST_TEST(report::html_list({}).empty());
    BOOST_TEST(report::html_facts({}).empty());
}
