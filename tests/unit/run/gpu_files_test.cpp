// SPDX-License-Identifier: MIT
#include <slo/run/gpu_files.hpp>

#define BOOST_TEST_MODULE run_gpu_files
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_file.hpp"

#include <fstream>

namespace {
using namespace slo;

struct File : test::ScratchFile {
    explicit File(std::string_view text) { std::ofstream(path()) << text; }
};

json::object account(const std::vector<std::string>& paths)
{
    return run::read_gpu_activity(paths).to_json_object(10);
}

BOOST_AUTO_TEST_CASE(two_snapshots)
{
    const File before(
        "# sloutils.snapshot/1 time=2026-05-01T10:00:00.000Z url=http://h/m duration_s=0.1 bytes=9\nvllm:x "
        "1\n"
        "# sloutils.snapshot/1 time=2026-05-01T10:00:00.500Z url=http://g/m duration_s=0.1 bytes=36\n"
        "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 100\n");
    const File after("\n# sloutils.snapshot/1 time=2026-05-01T10:00:10.500Z url=http://g/m\n"
                     "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 200\n");
    const auto record = account({before.path(), after.path()});
    BOOST_TEST(*number_at(record, "window_s") == 10);
    BOOST_TEST(*number_at(record, "energy_j") == 1500);
}

BOOST_AUTO_TEST_CASE(samples_of_prom_snap)
{
    const File samples(
        R"({"schema":"sloutils.snapshot/1","time":"2026-05-01T10:00:00.000Z","source":"g","values":{"DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"}":100.0,"vllm:num_requests_running":3.0}})"
        "\n"
        R"({"schema":"sloutils.snapshot/1","time":"2026-05-01T10:00:01.000Z","source":"g","values":{},"error":"HTTP status 503"})"
        "\n"
        R"({"schema":"sloutils.snapshot/1","time":"2026-05-01T10:00:02.000Z","source":"g","values":{"DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"}":100.0,"DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"}":null}})"
        "\n");
    const auto record = account({samples.path()});
    BOOST_TEST(*number_at(record, "joules_per_token") == 20);
}

BOOST_AUTO_TEST_CASE(a_table_of_nvidia_smi)
{
    const File table("timestamp, index, power.draw [W]\r\n2026/05/01 10:00:00.000, 0, 100.00 W\r\n"
                     "2026/05/01 10:00:04.000, 0, [N/A]\r\n2026/05/01 10:00:10.000, 0, 100.00 W\r\n");
    BOOST_TEST(*number_at(account({table.path()}), "energy_j") == 1000);
    const File torn("index, power.draw [W]\n0, 1 W\n0\n");
    BOOST_CHECK_EXCEPTION(account({torn.path()}), InputError, [&](const InputError& e) {
        return e.what() == torn.path() + ":3: not as many columns as the header has";
    });
}

BOOST_AUTO_TEST_CASE(files_without_gpus_are_empty)
{
    const File empty(""), other("a 1\n");
    BOOST_TEST(run::read_gpu_activity({empty.path(), other.path()}).empty());
    const File bad("{\"values\":{}}\nnot json\n");
    BOOST_CHECK_THROW(run::read_gpu_activity({bad.path()}), InputError);
}
} // namespace
