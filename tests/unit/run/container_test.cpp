// SPDX-License-Identifier: MIT
#include <slo/run/container.hpp>

#define BOOST_TEST_MODULE run_container
#include <boost/test/unit_test.hpp>

#include "../../support/scratch_file.hpp"

#include <fstream>
#include <string>

using namespace slo;
using namespace slo::run;

namespace {

// An engine that does what a line of shell does with its words.
struct Engine {
    test::ScratchFile script;
    record::ServiceContainer container;

    explicit Engine(const std::string& line)
    {
        std::ofstream(script.path()) << line << "\n";
        container = {{"sh", script.path()}, "web", "abc", false};
    }
};

auto says(const std::string& text)
{
    return [text](const Error& error) { return std::string(error.what()) == text; };
}

} // namespace

BOOST_AUTO_TEST_CASE(the_engine_is_asked_by_id)
{
    const Engine engine(R"([ "$*" = "inspect --type container --format {{json .State}} abc" ] || exit 1
echo '{"Running":true}')");
    BOOST_TEST(find_container(engine.container)->running);
}

BOOST_AUTO_TEST_CASE(no_container_is_not_the_same_as_no_answer)
{
    const Engine gone("echo 'Error: No such container: abc' >&2; exit 1");
    BOOST_TEST(!find_container(gone.container).has_value());
    const Engine down("echo 'x'; echo 'Cannot connect to the daemon' >&2; exit 1");
    BOOST_CHECK_EXCEPTION(find_container(down.container), Error, says("sh: Cannot connect to the daemon"));
    const Engine silent("exit 3");
    BOOST_CHECK_EXCEPTION(find_container(silent.container), Error, says("sh: ended with status 3"));
    const Engine odd("echo fine");
    BOOST_CHECK_EXCEPTION(find_container(odd.container), Error,
                          says("sh: inspect says nothing about the container's state"));
    auto none = silent.container;
    none.id.clear();
    BOOST_TEST(!find_container(none).has_value());
}

BOOST_AUTO_TEST_CASE(who_stopped_it_is_in_the_events)
{
    const std::string line = "2026-11-30T10:00:05.1Z container stop abc (image=image, name=web)";
    const Engine told("[ \"$1 $2 $3 $4\" = 'events --since 2026-11-30T10:00:00Z --until' ] || exit 1\n"
                      "shift 5\n[ \"$*\" = '--filter container=abc --filter event=stop' ] || exit 1\n"
                      "echo '" +
                      line + "'");
    const std::string since = "2026-11-30T10:00:00Z";
    BOOST_TEST(was_told_to_stop(told.container, since));
    const Engine silent("exit 0");
    BOOST_TEST(!was_told_to_stop(silent.container, since));
    const Engine unable("echo '" + line + "'; exit 1");
    BOOST_TEST(!was_told_to_stop(unable.container, since));
    auto none = told.container;
    none.id.clear();
    BOOST_TEST(!was_told_to_stop(none, since));
}

BOOST_AUTO_TEST_CASE(stopping_and_removing)
{
    const Engine engine(R"([ "$*" = "stop -t 3 abc" ] || [ "$*" = "rm abc" ] || exit 1)");
    BOOST_CHECK_NO_THROW(stop_container(engine.container, 3));
    BOOST_CHECK_NO_THROW(remove_container(engine.container));
    BOOST_CHECK_THROW(stop_container(engine.container, 4), Error);
    const Engine gone("echo 'Error response from daemon: No such container: abc' >&2; exit 1");
    BOOST_CHECK_NO_THROW(stop_container(gone.container, 3));
    BOOST_CHECK_NO_THROW(remove_container(gone.container));
    const Engine busy("echo 'is running' >&2; exit 1");
    BOOST_CHECK_EXCEPTION(remove_container(busy.container), Error, says("sh: is running"));
}
