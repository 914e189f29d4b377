#include <slo/workload/system_base.hpp>

#define BOOST_TEST_MODULE workload_system_base
#include <boost/test/unit_test.hpp>

using namespace slo;

namespace {

const json::object original{{"assembly", {{"system_base", "Be kind."}}}};

struct Fixture {
    json::object made{{"assembly", {{"system_base", "x"}, {"turns_in", 2}}}};
    bool has_base() const { return made.at("assembly").as_object().contains("system_base"); }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(a_beginning_stays_one_and_as_long, Fixture)
{
    BOOST_TEST(workload::renew_system_base(original, made, "Be kind. And short.", "3ab 0cd 9efgh 1jk 2lm"));
    BOOST_TEST(made.at("assembly").at("system_base") == "3ab 0cd ");
    BOOST_TEST(workload::renew_system_base(original, made, "Be kind.", "3ab 0cd 9"));
    BOOST_TEST(made.at("assembly").at("system_base") == "3ab 0cd 9");
}

BOOST_FIXTURE_TEST_CASE(what_was_no_beginning_is_taken_out, Fixture)
{
    BOOST_TEST(!workload::renew_system_base(original, made, "Be short.", "3ab 0cd"));
    BOOST_TEST(!has_base());
    BOOST_TEST(made.at("assembly").as_object().contains("turns_in"));
}

BOOST_FIXTURE_TEST_CASE(without_a_system_message_none_is_noted, Fixture)
{
    BOOST_TEST(!workload::renew_system_base(original, made, {}, "3ab"));
    BOOST_TEST(!has_base());
}

BOOST_FIXTURE_TEST_CASE(rows_without_one_stay_as_they_are, Fixture)
{
    BOOST_TEST(workload::renew_system_base({}, made, "Be kind.", "3ab 0cd"));
    BOOST_TEST(made.at("assembly").at("system_base") == "x");
    json::object bare;
    BOOST_TEST(workload::renew_system_base(original, bare, "Be kind.", "3ab 0cd"));
    BOOST_TEST(bare.empty());
}
