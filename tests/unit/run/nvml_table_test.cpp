// SPDX-License-Identifier: MIT
#include <slo/run/nvml_table.hpp>

#define BOOST_TEST_MODULE run_nvml_table
#include <boost/test/unit_test.hpp>

#include <slo/sys/forked.hpp>

#include "../../support/fake_nvml.hpp"

namespace {
using namespace slo;

struct Asked {
    int status;
    std::string text;
};

Asked ask(const std::string& library, const run::SmiQuestion& question)
{
    const auto answer = sys::run_forked(
        [&](int, int out) { return run::NvmlTable::write_answer(library, question, out); }, 20, -1, nullptr);
    return {answer.code, answer.output};
}

// What all fields hold is compared by the case gpu-preflight/nvml with the answers of nvidia-smi.
BOOST_AUTO_TEST_CASE(a_table_as_nvidia_smi_writes_it)
{
    const test::FakeNvml fake;
    fake.set("0", "uuid=GPU-0\npci.bus_id=00000000:01:00.0\npower.draw=71.25 W\nfan.speed=[N/A]\n"
                  "memory.total=9 MiB\nmemory.free=8 MiB\nmemory.used=1 MiB\npstate=P32\n");
    fake.set("1", "uuid=GPU-1\npci.bus_id=00000000:C1:00.0\npower.draw=[Unknown Error]\n"
                  "memory.total=9 MiB\nmemory.free=8 MiB\nmemory.used=1 MiB\npstate=P0\n");
    fake.set("apps", "7, a, 1 MiB, GPU-1, x\n");
    const run::SmiQuestion cards{
        "gpu", {"index", "pci.bus_id", "power.draw", "fan.speed", "memory.used", "pstate", "no.such"}, {}};
    const auto all = ask(fake.library(), cards);
    BOOST_TEST(all.status == 0);
    BOOST_TEST(all.text == "index, pci.bus_id, power.draw, fan.speed, memory.used, pstate, no.such\n"
                           "0, 00000000:01:00.0, 71.25 W, [N/A], 1 MiB, [N/A], [N/A]\n"
                           "1, 00000000:C1:00.0, [Unknown Error], [N/A], 1 MiB, P0, [N/A]\n");
    const auto one = ask(fake.library(), {"gpu", {"index"}, {"0000:c1:00.0"}});
    BOOST_TEST(one.text == "index\n1\n");
    const run::SmiQuestion apps{
        "compute-apps", {"pid", "process_name", "used_gpu_memory", "gpu_uuid", "gpu_bus_id"}, {}};
    BOOST_TEST(ask(fake.library(), apps).text == "pid, process_name, used_gpu_memory, gpu_uuid, gpu_bus_id\n"
                                                 "7, a, 1 MiB, GPU-1, 00000000:C1:00.0\n");
}

BOOST_AUTO_TEST_CASE(why_there_is_none)
{
    const run::SmiQuestion question{"gpu", {"index"}, {}};
    const auto none = ask("/no/such", question);
    BOOST_TEST(none.status == run::NvmlTable::no_library_status);
    BOOST_TEST(none.text.starts_with("/no/such: "));
    const test::FakeNvml fake;
    BOOST_TEST(ask(fake.library(), question).text == "No devices were found");
    fake.set("0", "uuid=GPU-0\n");
    ::setenv("FAKE_NVML_LOST", "0", 1);
    const auto lost = ask(fake.library(), question);
    ::unsetenv("FAKE_NVML_LOST");
    BOOST_TEST(lost.status == 15);
    BOOST_TEST(lost.text == "index\nUnable to determine the device handle for GPU 0: GPU is lost\n");
    ::setenv("FAKE_NVML_INIT", "18", 1);
    const auto mismatch = ask(fake.library(), question);
    ::unsetenv("FAKE_NVML_INIT");
    BOOST_TEST(mismatch.status == 18);
    BOOST_TEST(mismatch.text == "Failed to initialize NVML: Driver/library version mismatch");
}

} // namespace
