// SPDX-License-Identifier: MIT
#include <slo/run/nvidia_smi.hpp>

#define BOOST_TEST_MODULE run_nvidia_smi
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_folder.hpp"

#include <filesystem>

namespace {
using namespace slo;

struct Fake {
    test::ScratchFolder folder;
    io::StopSignal stop;

    run::NvidiaSmi program(const std::string& script, double timeout_s = 20)
    {
        const auto file = folder.write("nvidia-smi", "#!/bin/sh\n" + script);
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
        return {file, timeout_s, stop};
    }
    std::string kind(const std::string& script, double timeout_s = 20)
    {
        return program(script, timeout_s).cards().problem.kind;
    }
};

BOOST_AUTO_TEST_CASE(g04_an_error_is_no_card)
{
    Fake fake;
    const std::string folder = std::filesystem::absolute("tests/data/cases/G04-driver-mismatch").string();
    const auto mismatch =
        fake.program("cat " + folder + "/stdout.txt; exit $(cat " + folder + "/rc.txt)").cards();
    BOOST_TEST(mismatch.problem.kind == "driver_library_mismatch");
    BOOST_TEST(mismatch.table.rows().empty());
    const auto none = fake.program("cat " + folder + "/stdout_rc0.txt").cards();
    BOOST_TEST(none.problem.kind == "no_devices");
    BOOST_TEST(none.table.rows().empty());
}

BOOST_AUTO_TEST_CASE(what_can_be_wrong_with_it)
{
    Fake fake;
    BOOST_TEST(fake.kind("exec sleep 1000", 0.1) == "nvidia_smi_hangs");
    BOOST_TEST(fake.kind("kill -11 $$") == "nvidia_smi_failed");
    BOOST_TEST(fake.kind("exit 9") == "nvidia_smi_failed");
    BOOST_TEST(fake.kind("echo") == "nvidia_smi_unreadable");
    BOOST_TEST(fake.kind("exit 15") == "gpu_lost");
    BOOST_TEST(
        fake.kind("echo 'Unable to determine the device handle for GPU 0000:81:00.0: Unknown Error'") ==
        "gpu_lost");
    BOOST_TEST(fake.kind("echo \"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA "
                         "driver.\"; exit 9") == "no_driver");
    BOOST_TEST(run::NvidiaSmi("/no/such", 1, fake.stop).cards().problem.kind == "no_nvidia_smi");
}

BOOST_AUTO_TEST_CASE(refused_fields_are_left_out_or_asked_for_by_their_older_name)
{
    Fake fake;
    const auto smi = fake.program(R"(
list=${1#*=}
for new in mig.mode.current clocks_event_reasons.hw_slowdown; do
  case ,$list, in *,$new,*) echo "Field \"$new\" is not a valid field to query."; exit 2;; esac
done
echo "$list" | sed 's/,/, /g'
echo "$list" | sed 's/[^,]*/Active/g; s/,/, /g'
)");
    const auto answer = smi.cards();
    BOOST_TEST(answer.problem.kind == "");
    BOOST_REQUIRE(answer.table.rows().size() == 1u);
    BOOST_TEST(!answer.table.rows()[0].field("mig.mode.current"));
    BOOST_TEST(answer.table.rows()[0].field("clocks_event_reasons.hw_slowdown").value() == "Active");
    BOOST_TEST(answer.table.rows()[0].field("index").value() == "Active");
}

BOOST_AUTO_TEST_CASE(a_program_that_knows_the_classic_question_only_is_enough)
{
    Fake fake;
    const auto answer =
        fake.program("echo 'Foo, Bar, 32607 MiB, 32109 MiB, 580.00.01, 4, 5, 16, 16'").cards();
    BOOST_TEST(answer.problem.kind == "");
    BOOST_REQUIRE(answer.table.rows().size() == 1u);
    BOOST_TEST(answer.table.rows()[0].field("name").value() == "Foo, Bar");
    BOOST_TEST(answer.table.rows()[0].number("pcie.link.gen.current").value() == 4);
    const auto processes = fake.program("echo '123, a,b, 20000 MiB'").processes().table;
    BOOST_REQUIRE(processes.rows().size() == 1u);
    BOOST_TEST(processes.rows()[0].number("used_gpu_memory").value() == 20000);
}

BOOST_AUTO_TEST_CASE(only_some_cards_can_be_asked_for)
{
    Fake fake;
    auto smi = fake.program("echo index; for at; do :; done; echo \"$at\"");
    BOOST_TEST(smi.query("gpu", {"index"}).table.rows().at(0).field("index").value() == "--format=csv");
    smi.ask_only({"0000:01:00.0"});
    BOOST_TEST(smi.query("gpu", {"index"}).table.rows().at(0).field("index").value() == "--id=0000:01:00.0");
}

BOOST_AUTO_TEST_CASE(no_rows_are_an_answer_and_no_answer_is_a_problem)
{
    Fake fake;
    const auto processes = [&](const std::string& script, double timeout_s = 20) {
        return fake.program(script, timeout_s).processes().problem.kind;
    };
    BOOST_TEST(processes("true") == "");
    BOOST_TEST(processes("echo pid, process_name, used_gpu_memory, gpu_uuid, gpu_bus_id") == "");
    BOOST_TEST(processes("exec sleep 1000", 0.1) == "nvidia_smi_hangs");
    BOOST_TEST(processes("exit 1") == "nvidia_smi_failed");
    BOOST_TEST(processes("echo what") == "nvidia_smi_unreadable");
    const auto remapped = [&](const std::string& script) {
        return fake.program(script).remapped_rows().problem.kind;
    };
    BOOST_TEST(remapped("echo ERROR: Option --query-remapped-rows is not recognized.; exit 1") == "");
    BOOST_TEST(remapped("exit 1") == "nvidia_smi_failed");
}

} // namespace
