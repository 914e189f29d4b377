// SPDX-License-Identifier: MIT
#include <slo/record/round.hpp>

#define BOOST_TEST_MODULE record_round
#include <boost/test/unit_test.hpp>

#include <unistd.h>

using namespace slo;
using record::Round;
using record::RoundFile;

namespace {

std::optional<Round> read(std::string_view text)
{
    return record::read_round(parse_json(text).as_object());
}

// The rounds of a text that comes through a pipe.
RoundFile rounds_in(std::string_view text)
{
    int ends[2];
    BOOST_REQUIRE(::pipe(ends) == 0);
    io::Fd in(ends[0]);
    {
        const io::Fd out(ends[1]);
        io::write_all(out, text, "pipe");
    }
    io::LineReader reader(std::move(in), "pipe");
    return record::read_rounds(reader);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_whole_round)
{
    const auto round =
        read(R"({"schema":"sloutils.round/1","target_qps":8.0,"actual_qps":7.9,"measurement_round":3,
        "success_rate":99.5,"counts":{"due":240},"client":{"saturated":true},"flags":["interrupted",7],
        "Latency":{"unit":"s","p50":1.25},"sketches":{"Latency":{"relative_error":0.005,"count":1,"min":0,"max":0,
        "bins":[[0,1]]}}})")
            .value();
    BOOST_TEST(round.p50_latency_s.value() == 1.25);
    BOOST_TEST(round.target_qps.value() == 8);
    BOOST_TEST(round.actual_qps.value() == 7.9);
    BOOST_TEST(round.measurement_round.value() == 3);
    BOOST_TEST(round.success_rate.value() == 99.5);
    BOOST_TEST(round.due.value() == 240);
    BOOST_TEST(round.client_saturated);
    BOOST_TEST(round.has_flag("interrupted"));
    BOOST_TEST(round.flags.size() == 1);
    BOOST_TEST(round.latency.value().count() == 1);
}

BOOST_AUTO_TEST_CASE(a_p50_that_is_no_number_is_absent)
{
    for (const char* text : {R"({"Latency":{"p50":null}})", R"({"Latency":{"p50":"1.5"}})",
                             R"({"Latency":{"p50":true}})", R"({"Latency":{"p50":{"v":1}}})",
                             R"({"Latency":{}})", R"({"Latency":null})", R"({"success_rate":0})"})
        BOOST_TEST(!read(text).value().p50_latency_s, text);
    BOOST_TEST(read(R"({"Latency":{"p50":3}})").value().p50_latency_s.value() == 3);
    BOOST_TEST(read(R"({"Latency":{"p50":1},"Latency":{"p50":2}})").value().p50_latency_s.value() == 2);
    BOOST_CHECK_THROW(read(R"({"Latency":[1]})"), InputError);
}

BOOST_AUTO_TEST_CASE(records_of_another_kind)
{
    BOOST_TEST(!read("{}"));
    BOOST_TEST(!read(R"({"schema":"sloutils.run/1","success_rate":1})"));
    BOOST_TEST(!read(R"({"schema":"sloutils.request/1"})"));
    BOOST_TEST(read(R"({"schema":"sloutils.round/2","Latency":{"p50":1}})").has_value());
}

BOOST_AUTO_TEST_CASE(an_unsound_sketch_is_absent)
{
    const auto round = read(R"({"Latency":{"p50":1},"sketches":{"Latency":{"bins":[[0,-1]]}}})").value();
    BOOST_TEST(!round.latency);
    BOOST_TEST(round.p50_latency_s.value() == 1);
}

BOOST_AUTO_TEST_CASE(tokens_for_undefined_numbers)
{
    BOOST_TEST(!record::without_nan_tokens(R"({"a":"NaN","b\"NaN":1})"));
    BOOST_TEST(record::without_nan_tokens(R"({"NaN":NaN,"b":[Infinity,-Infinity]})").value() ==
               R"({"NaN":null,"b":[null,null]})");
    BOOST_TEST(!record::without_nan_tokens("\"\\"));
    BOOST_TEST(!record::without_nan_tokens(""));
}

BOOST_AUTO_TEST_CASE(a_file_with_everything_in_it)
{
    const auto file = rounds_in("\xEF\xBB\xBF{\"Latency\":{\"p50\":1.0}}\r\n"
                                "\n"
                                "{\"schema\":\"sloutils.run/1\"}\n"
                                "{\"Latency\":{\"p50\":2.0},\"TTFT\":{\"p50\":NaN}}\n"
                                "{\"Latency\":{\"p50\":NaN}}\n"
                                "{\"Latency\":{\"p50\":-nan}}\n"
                                "[1,2]\n"
                                "null\n"
                                "{\"Latency\":[1]}\n"
                                "{\"m\":\"\xFF\",\"Latency\":{\"p50\":1.0}}\n"
                                "{\"m\":\"a\xE2\x80\xA8"
                                "b\",\"Latency\":{\"p50\":3.0}}\n"
                                "{\"Latency\":{\"p5");
    BOOST_REQUIRE(file.rounds.size() == 3);
    BOOST_TEST(file.rounds[0].p50_latency_s.value() == 1);
    BOOST_TEST(file.rounds[1].p50_latency_s.value() == 2);
    BOOST_TEST(file.rounds[2].p50_latency_s.value() == 3);
    BOOST_TEST(file.other_records == 1);
    BOOST_TEST(file.malformed_lines == 7);
    BOOST_TEST(file.malformed_at == (std::vector<std::size_t>{5, 6, 7, 8, 9}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_file_that_is_not_there)
{
    BOOST_CHECK_THROW(record::read_round_files({"tests/data/none.jsonl"}, [](int) {}), IoError);
    BOOST_CHECK_THROW(record::read_round_files({"tests/data"}, [](int) {}), IoError);
}

BOOST_AUTO_TEST_CASE(what_objectives_need_of_a_round)
{
    const auto sketch = [](const std::string& name) {
        return "\"" + name + R"(":{"relative_error":0.005,"count":1,"min":0,"max":0,"bins":[[0,1]]})";
    };
    const auto round =
        read(R"({"schema":"sloutils.round/1","actual_qps":8,"counts":{"due":240,"ok":238},"output_tokens":211,
        "slo_seconds":6.5,"slo_attainment":97.5,"ttft_slo_ms":800,"ttft_slo_attainment":100,"tpot_slo_ms":50,
        "tpot_slo_attainment":0,"objectives":[{"objective":"ttft : p99 < 800ms","requests":240,"met":238}],
        "sketches":{)" +
             sketch("TTFT") + "," + sketch("TPOT") + "}}")
            .value();
    BOOST_TEST(round.due.value() == 240);
    BOOST_TEST(round.ok.value() == 238);
    BOOST_TEST(round.duration_s.value() == 30);
    BOOST_TEST(round.output_tokens.value() == 211);
    BOOST_TEST(round.e2e_slo.value().limit_s == 6.5);
    BOOST_TEST(round.e2e_slo.value().percent == 97.5);
    BOOST_TEST(round.ttft_slo.value().limit_s == 0.8);
    BOOST_TEST(round.ttft_slo.value().percent == 100);
    BOOST_TEST(round.tpot_slo.value().limit_s == 0.05);
    BOOST_TEST(round.tpot_slo.value().percent == 0);
    BOOST_REQUIRE(round.objectives.size() == 1);
    BOOST_TEST(round.objectives[0].text == "ttft:p99<0.8");
    BOOST_TEST(round.objectives[0].requests == 240);
    BOOST_TEST(round.objectives[0].met == 238);
    BOOST_TEST(!round.latency);
    BOOST_TEST(round.ttft.value().count() == 1);
    BOOST_TEST(round.tpot_ms.value().count() == 1);
}

BOOST_AUTO_TEST_CASE(hostile_figures_count_as_absent)
{
    for (const char* text :
         {R"({"success_rate":1,"counts":{"due":-1,"ok":-1},"output_tokens":-1,"actual_qps":1})",
          R"({"success_rate":1,"counts":{"due":1e300,"ok":1e300},"output_tokens":1e300,"actual_qps":1})",
          R"({"success_rate":1,"counts":{"due":"5","ok":1.5},"output_tokens":"x","actual_qps":1})",
          R"({"success_rate":1,"counts":7,"actual_qps":1})"}) {
        const auto round = read(text).value();
        BOOST_TEST(!round.due, text);
        BOOST_TEST(!round.ok, text);
        BOOST_TEST(!round.output_tokens, text);
        BOOST_TEST(!round.duration_s, text);
    }
    const auto more_ok = read(R"({"success_rate":1,"counts":{"due":5,"ok":6}})").value();
    BOOST_TEST(more_ok.due.value() == 5);
    BOOST_TEST(!more_ok.ok);
    for (const char* qps : {"0", "-1", "1e-300", "null", "\"8\""})
        BOOST_TEST(!read(R"({"counts":{"due":5},"success_rate":1,"actual_qps":)" + std::string(qps) + "}")
                        .value()
                        .duration_s,
                   qps);
    for (const char* slo :
         {R"("slo_seconds":6.5)", R"("slo_attainment":5)", R"("slo_seconds":-1,"slo_attainment":5)",
          R"("slo_seconds":1,"slo_attainment":-5)", R"("slo_seconds":1,"slo_attainment":101)",
          R"("slo_seconds":1,"slo_attainment":1e300)"})
        BOOST_TEST(!read(R"({"success_rate":1,)" + std::string(slo) + "}").value().e2e_slo, slo);
}
