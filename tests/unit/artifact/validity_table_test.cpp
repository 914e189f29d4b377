// SPDX-License-Identifier: MIT
#include <slo/artifact/validity_table.hpp>

#define BOOST_TEST_MODULE artifact_validity_table
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>

using namespace slo;

BOOST_AUTO_TEST_CASE(each_rule_stands_once_and_says_why_it_is_stricter)
{
    std::set<std::string_view> ids;
    for (const auto& row : artifact::validity_rules) {
        BOOST_TEST(ids.insert(row.id).second, row.id);
        BOOST_TEST(!row.wants.empty());
        BOOST_TEST(!row.next.empty());
        BOOST_TEST(row.reason.empty() == row.classic.starts_with("the same"), row.id);
    }
    BOOST_TEST(artifact::rule_row("warm-up").id == "warm-up");
    BOOST_CHECK_THROW(artifact::rule_row("warmup"), Error);
}

BOOST_AUTO_TEST_CASE(the_list_has_five_columns_a_line)
{
    const auto text = artifact::list_validity_rules();
    const auto lines = std::count(text.begin(), text.end(), '\n');
    BOOST_TEST(lines ==
               static_cast<long>(artifact::validity_rules.size() + artifact::validity_gate_rows.size()));
    BOOST_TEST(std::count(text.begin(), text.end(), '\t') == 4 * lines);
    BOOST_TEST(text.starts_with("schema\tinvalid\t"));
}

BOOST_AUTO_TEST_CASE(names_of_classes_and_costs)
{
    BOOST_TEST(name_of(artifact::Class::invalid) == "invalid_or_incomplete");
    BOOST_TEST(name_of(artifact::Class::production) == "valid_production_representative");
    BOOST_TEST(severity_of(artifact::Need::every_class) == "invalid");
    BOOST_TEST(severity_of(artifact::Need::none) == "warning");
}
