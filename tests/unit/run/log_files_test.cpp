// SPDX-License-Identifier: MIT
#include <slo/run/log_files.hpp>

#define BOOST_TEST_MODULE run_log_files
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_file.hpp"

#include <fstream>

namespace {
using namespace slo;

struct Log : test::ScratchFile {
    explicit Log(std::string_view text) { std::ofstream(path()) << text; }
};

BOOST_AUTO_TEST_CASE(several_logs_are_one)
{
    const Log one("\xEF\xBB\xBFPrefill batch, #new-token: 30, #cached-token: 10,\r\nnoise\n");
    const Log two("Prefill batch, #new-token: 10, #cached-token: 50");
    const auto rate = run::read_log_hit_rate({one.path(), two.path()});
    BOOST_TEST(*rate.hit_rate == 0.6);
    BOOST_TEST(rate.pattern == wire::sglang_log_pattern);
    BOOST_TEST(rate.lines == 2U);
}

BOOST_AUTO_TEST_CASE(the_tasks_of_two_servers_are_not_the_same)
{
    const Log one("slot x: id 0 | task 0 | new prompt, task.n_tokens = 40\n");
    const Log two("slot x: id 0 | task 0 | n_tokens = 5, memory_seq_rm [5, end)\n");
    BOOST_TEST(!run::read_log_hit_rate({one.path(), two.path()}).hit_rate);
    BOOST_CHECK_THROW(run::read_log_hit_rate({"/no/such/log"}), IoError);
}
} // namespace
