// SPDX-License-Identifier: MIT
#include <slo/run/gpu_preflight.hpp>

#define BOOST_TEST_MODULE run_gpu_preflight
#include <boost/test/unit_test.hpp>

#include <slo/io/jsonl.hpp>

#include <algorithm>
#include <map>
#include <string>

namespace {
using namespace slo;

// The facts that the classic tool had, from a line of health_vectors.jsonl.
record::PreflightFacts facts_of(const json::object& vector)
{
    const auto text = [&](const char* key) { return std::string(string_at(vector, key).value_or("")); };
    record::PreflightFacts facts;
    const wire::NvidiaSmiTable cards(text("smi"), {"name", "memory.total", "memory.free", "driver_version",
                                                   "pcie.link.gen.current", "pcie.link.gen.max",
                                                   "pcie.link.width.current", "pcie.link.width.max"});
    for (const auto& row : cards.rows())
        facts.gpus.push_back(run::gpu_of(row));
    if (facts.gpus.empty()) {
        facts.smi = {"no_nvidia_smi", "no table"};
        return facts;
    }
    run::take_processes(
        {text("procs"), {"pid", "process_name", "used_gpu_memory"}}, [](auto) { return false; }, facts.gpus);
    facts.host.workdir = ".";
    if (find(vector, "workdir")->as_bool())
        facts.host.free_disk_bytes = std::uint64_t{100} << 30;
    if (text("lspci").find("Virtio GPU") != std::string::npos)
        facts.host.hypervisor = "virtio-gpu detected (KVM/QEMU)";
    else if (vector.at("virt").at(1).as_int64() == 0)
        facts.host.hypervisor = std::string(vector.at("virt").at(0).as_string());
    auto& bandwidth = facts.gpus[0].bandwidth;
    bandwidth.wanted = array_at(vector, "args")->empty();
    const auto* torch = object_at(vector, "torch");
    if (bandwidth.wanted && !torch)
        bandwidth.error = "no CUDA driver";
    if (torch) {
        for (const int size_mib : {16, 64}) {
            if (2 * size_mib < integer_at(*torch, "free").value())
                bandwidth.sizes.push_back({size_mib, number_at(*torch, "h2d"), number_at(*torch, "d2h"), ""});
        }
        if (bandwidth.sizes.empty())
            bandwidth.remark = "too little memory";
        else
            facts.gpus[0].link_under_load = true; // copied, and the link as it was then
    }
    return facts;
}

// Where the status differs from the classic tool's, and why.
const std::map<std::string, std::pair<int, const char*>> differences{
    {"gen1_of_5_kvm", {1, "an idle card may save power: unknown under load is a warning"}},
    {"gen2_of_4", {1, "the same"}},
    {"gen5_x4_of_x16", {1, "too few lanes are never excused"}},
    {"multi_gpu_second_bad", {1, "every card counts"}},
    {"name_comma", {0, "a comma in the name is no crash"}},
    {"procs_na", {1, "memory of a process that is unknown is a warning"}},
    {"procs_exact_half", {1, "more free memory than there is cannot be"}},
    {"procs_comma_name", {1, "a comma in a process's name does not hide it"}},
    {"bw_15_exact", {2, "device to host counts too"}},
    {"bw_d2h_bad_only", {2, "device to host counts too"}},
    {"no_workdir", {1, "a folder that is not there has no known space"}},
};
// Here the status is the same, 1, but the classic tool had died with a traceback.
const std::map<std::string, const char*> crashes{{"na_fields", "link_unknown"}, {"na_mem", "memory_unknown"}};

BOOST_AUTO_TEST_CASE(classic_vectors)
{
    io::LineReader lines("tests/data/classic/health_vectors.jsonl");
    std::size_t seen = 0, differing = 0;
    while (const auto vector = io::next_object(lines)) {
        const auto name = std::string(string_at(*vector, "name").value());
        const auto done = run::judged(facts_of(*vector));
        const auto classic = static_cast<int>(integer_at(*vector, "exit").value());
        const auto different = differences.find(name);
        const auto expected = different == differences.end() ? classic : different->second.first;
        differing += different != differences.end();
        BOOST_TEST(static_cast<int>(done.exit) == expected, name);
        const auto record = done.to_record();
        if (const auto crash = crashes.find(name); crash != crashes.end()) {
            const auto is_it = [&](const record::Issue& issue) { return issue.kind == crash->second; };
            BOOST_TEST(std::count_if(done.issues.begin(), done.issues.end(), is_it) == 1, name);
        }
        const auto* json = object_at(*vector, "json");
        if (json && find(*json, "gpu")) {
            if (done.facts.gpus[0].implausible.empty())
                BOOST_TEST(to_json(record.at("gpu")) == to_json(json->at("gpu")), name);
            BOOST_TEST(record.at("virt").is_null() == json->at("virt").is_null(), name);
            if (different == differences.end()) {
                BOOST_TEST(array_at(record, "issues_red")->size() ==
                               static_cast<std::size_t>(json->at("issues_red").as_int64()),
                           name);
                BOOST_TEST(array_at(record, "issues_warn")->size() ==
                               static_cast<std::size_t>(json->at("issues_warn").as_int64()),
                           name);
            }
        }
        ++seen;
    }
    BOOST_TEST(seen == 27u);
    BOOST_TEST(differing == differences.size());
}

BOOST_AUTO_TEST_CASE(interrupted_is_status_2)
{
    record::PreflightFacts facts;
    facts.interrupted = true;
    BOOST_TEST((run::judged(facts).exit == Exit::undecided));
}

} // namespace
