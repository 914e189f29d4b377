// SPDX-License-Identifier: MIT
#include <slo/run/service_file.hpp>

#define BOOST_TEST_MODULE run_service_file
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_file.hpp"

#include <fstream>
#include <string>
#include <thread>
#include <vector>

using namespace slo;
using namespace slo::run;

namespace {

record::ServiceState numbered(std::uint64_t number)
{
    record::ServiceState state;
    state.kind = "process";
    state.log_offset = number;
    return state;
}

} // namespace

BOOST_AUTO_TEST_CASE(what_is_written_is_read)
{
    const test::ScratchFile scratch;
    const ServiceFile file(scratch.path());
    BOOST_TEST(!file.read_if_there().has_value()); // an empty file is none
    file.write(numbered(5));
    BOOST_TEST(file.read().log_offset == 5U);
    BOOST_TEST(file.read_if_there()->log_offset == 5U);
}

BOOST_AUTO_TEST_CASE(errors_name_the_file_as_it_was_given)
{
    const ServiceFile missing("no/such.json");
    BOOST_TEST(!missing.read_if_there().has_value());
    BOOST_CHECK_EXCEPTION(missing.read(), IoError, [](const auto& e) {
        return std::string(e.what()) == "no/such.json: No such file or directory";
    });
    BOOST_CHECK_THROW(ServiceFile(""), UsageError);
    BOOST_CHECK_THROW(ServiceFile("-"), UsageError);
    const test::ScratchFile scratch;
    std::ofstream(scratch.path()) << "{\"schema\":";
    BOOST_CHECK_THROW(ServiceFile(scratch.path()).read_if_there(), InputError);
}

BOOST_AUTO_TEST_CASE(changes_of_many_at_once_all_count)
{
    const test::ScratchFile scratch;
    const ServiceFile file(scratch.path());
    file.write(numbered(0));
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int k = 0; k < 25; ++k)
                file.update([](record::ServiceState& state) { ++state.log_offset; });
        });
    for (auto& thread : threads)
        thread.join();
    BOOST_TEST(file.read().log_offset == 100U);
}

BOOST_AUTO_TEST_CASE(paths)
{
    BOOST_TEST(absolute_path("/a/./b/../c/") == "/a/c");
    BOOST_TEST(absolute_path("/") == "/");
    BOOST_TEST(absolute_path("x").starts_with("/"));
}
