// SPDX-License-Identifier: MIT
#include <slo/artifact/named_files.hpp>

#define BOOST_TEST_MODULE artifact_named_files
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>

#include "../../support/vector_table.hpp"

#include <map>

using namespace slo;

namespace {

artifact::NamedBlocks named(const json::object& artifacts, const std::map<std::string, std::string>& files,
                            const json::object& metrics = {})
{
    return artifact::named_blocks(artifacts, "run", std::nullopt, number_at(metrics, "total_output_tokens"),
                                  [&](const std::string&, const std::string& path) {
                                      const auto found = files.find(path);
                                      if (found == files.end())
                                          throw IoError(path, ENOENT);
                                      return found->second;
                                  });
}

json::object stability(const std::string& text)
{
    const auto blocks = named({{"stability", "s.json"}}, {{"run/s.json", text}});
    return blocks.stability.value.value_or(json::object());
}

} // namespace

BOOST_AUTO_TEST_CASE(vectors)
{
    test::VectorTable table({{"engagement/power", "hardware_errors.pcie_replay_count_delta", "absent",
                              "16: the envelope's name is pcie_replay_delta"},
                             {"engagement/quality-list", "quality.evals", "[]",
                              "7: without eval and scores they do not fit the envelope's schema"}});
    io::LineReader reader("tests/data/benchmark/engagement.jsonl");
    std::size_t seen = 0;
    while (const auto vector = io::next_object(reader)) {
        ++seen;
        const auto& input = *object_at(*vector, "input");
        std::map<std::string, std::string> files;
        for (const auto& file : *object_at(input, "files"))
            files["run/" + std::string(file.key())] = to_json(file.value());
        const auto blocks = named(*object_at(input, "artifacts"), files, *object_at(input, "metrics"));
        json::object ours;
        const std::pair<const char*, const artifact::SideBlock*> parts[] = {
            {"quality", &blocks.quality},
            {"power", &blocks.power},
            {"hardware_errors", &blocks.hardware_errors},
            {"stability", &blocks.stability}};
        for (const auto& [key, block] : parts) {
            if (block->value)
                ours[key] = *block->value;
        }
        const std::string id(*string_at(*vector, "id"));
        if (id == "engagement/missing-files-skipped") {
            // 17: passed over in silence by the classic adapter. Ours names each, and fails the quality gate.
            BOOST_CHECK_EQUAL(to_json(ours), R"({"quality":{"gate_passed":false,"evals":[]}})");
            BOOST_CHECK_EQUAL(blocks.power.notes.front(), "power: y.json: No such file or directory");
            BOOST_CHECK_EQUAL(blocks.stability.notes.front(), "stability: z.json: No such file or directory");
            continue;
        }
        const json::value value = ours;
        table.compare(id, "", vector->at("expected"), &value);
    }
    BOOST_CHECK_EQUAL(seen, 3);
    table.finish();
}

BOOST_AUTO_TEST_CASE(a_gate_by_its_own_figures)
{
    const auto gate = [](const std::string& text) {
        return to_json(stability(text).at("drift_gate_passed"));
    };
    BOOST_CHECK_EQUAL(gate(R"({"throughput_drift_pct":-1,"unrecoverable_errors":0,"hour_1_throughput":9,)"
                           R"("drift_gate_passed":true})"),
                      "true");
    BOOST_CHECK_EQUAL(gate(R"({"throughput_drift_pct":-3,"unrecoverable_errors":0,"hour_1_throughput":9,)"
                           R"("drift_gate_passed":true})"),
                      "false");
    BOOST_CHECK_EQUAL(gate(R"({"throughput_drift_pct":1,"unrecoverable_errors":0,"hour_1_throughput":9,)"
                           R"("drift_gate_passed":false})"),
                      "false");
    BOOST_CHECK_EQUAL(gate(R"({"drift_gate_passed":true})"), "null");
    BOOST_CHECK_EQUAL(gate(R"({"error":"no slices found"})"), "null");
    BOOST_CHECK(stability("[]").empty());
}

BOOST_AUTO_TEST_CASE(nothing_named_is_no_block)
{
    const auto blocks = named({}, {});
    BOOST_CHECK(!blocks.quality.value && !blocks.power.value && !blocks.stability.value);
    BOOST_CHECK(blocks.power.notes.empty());
    const auto start = named({{"cold_start", "c.json"}}, {{"run/c.json", R"({"total_seconds":80})"}});
    BOOST_CHECK_EQUAL(start.cold_start.value->at("total_seconds").as_double(), 80);
}
