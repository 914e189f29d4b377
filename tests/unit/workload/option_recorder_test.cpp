#include <slo/workload/option_recorder.hpp>

#define BOOST_TEST_MODULE workload_option_recorder
#include <boost/test/unit_test.hpp>

#include <slo/workload/build.hpp>

#include <string>

namespace {

struct Options {
    std::string tokenizer = "server:http://me:secret@host:1/v1?api_key=x";
    std::int64_t rows = 5;
    std::optional<double> zipf;
    bool fresh = true;

    template <class Table>
    void describe(Table& table)
    {
        table.section("What");
        table.add("tokenizer,t", tokenizer, "HOW", "");
        table.add("rows", rows, "COUNT", "");
        table.add("zipf", zipf, "S", "");
        table.flag("fresh", fresh, "");
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(all_options_are_noted_without_secrets)
{
    BOOST_TEST(
        slo::to_json(slo::workload::record_options(Options())) ==
        R"({"tokenizer":"server:http://host:1/v1?api_key=REDACTED","rows":5,"zipf":null,"fresh":true})");
}
