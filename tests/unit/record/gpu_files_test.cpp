// SPDX-License-Identifier: MIT
#include <slo/record/gpu_files.hpp>

#define BOOST_TEST_MODULE record_gpu_files
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_file.hpp"

#include <fstream>

using namespace slo;

namespace {

struct Heard {
    std::vector<std::string> lines;

    void take(const record::Snapshot& snapshot)
    {
        for (const auto& series : snapshot.series)
            lines.push_back(series.name + " " + format_double(snapshot.taken_s.value_or(-1)));
    }
    void reading(std::string_view gpu, std::string_view field, std::optional<double> value,
                 std::optional<double>)
    {
        lines.push_back(std::string(gpu) + " " + std::string(field) + " " +
                        format_double(value.value_or(-1)));
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(each_kind_of_file_is_told_by_its_first_line)
{
    const test::ScratchFile table, samples, snapshot, empty;
    std::ofstream(table.path()) << "timestamp, index, power.draw [W]\n2026/05/01 10:00:00.000, 0, 70.5 W\n";
    std::ofstream(samples.path()) << R"({"time":"1970-01-01T00:00:09Z","values":{"p{gpu=\"0\"}":7}})"
                                  << "\n";
    std::ofstream(snapshot.path()) << "# snapshot_iso=1970-01-01T00:00:05Z\np{gpu=\"0\"} 7\nq 1\n";
    Heard heard;
    record::read_gpu_files({empty.path(), table.path(), samples.path(), snapshot.path()}, heard,
                           [](std::string_view name) { return name == "p"; });
    const std::vector<std::string> expected{"0 power.draw 70.5", "p 9.0", "p 5.0"};
    BOOST_TEST(heard.lines == expected, boost::test_tools::per_element());

    std::ofstream(table.path()) << "timestamp, index, power.draw [W]\n1\n";
    BOOST_CHECK_THROW(record::read_gpu_files({table.path()}, heard, {}), InputError);
}
