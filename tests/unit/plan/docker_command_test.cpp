// SPDX-License-Identifier: MIT
#include <slo/plan/docker_command.hpp>

#define BOOST_TEST_MODULE plan_docker_command
#include <boost/test/unit_test.hpp>

#include <sstream>
#include <string>
#include <vector>

using namespace slo::plan;

namespace {

std::vector<std::string> words(const std::string& line)
{
    std::istringstream in(line);
    std::vector<std::string> list;
    for (std::string word; in >> word;)
        list.push_back(word);
    return list;
}

std::string joined(const std::vector<std::string>& list)
{
    std::string text;
    for (const auto& word : list)
        text += (text.empty() ? "" : " ") + word;
    return text;
}

std::string rewritten(const std::string& line)
{
    const auto run = rewrite_docker_run(words(line), "made");
    return run ? joined(run->argv) : "no run";
}

const std::string limits = "--ulimit memlock=-1 --ulimit stack=67108864";

} // namespace

BOOST_AUTO_TEST_CASE(what_is_missing_is_added_before_the_options_of_the_user)
{
    BOOST_TEST(rewritten("docker run --gpus all -p 8000:8000 vllm/vllm-openai --model m") ==
               "docker run -d --name made --ipc=host " + limits +
                   " --gpus all -p 8000:8000 vllm/vllm-openai --model m");
    BOOST_TEST(rewritten("docker run image") == "docker run -d --name made --ipc=host " + limits + " image");
}

BOOST_AUTO_TEST_CASE(what_the_user_gave_stays_as_it_is)
{
    const std::string whole = "docker run -d --name mine --ipc=private --ulimit memlock=1 --ulimit stack=2 i";
    BOOST_TEST(rewritten(whole) == whole);
    BOOST_TEST(rewritten("docker run --ulimit=memlock=-1 --ipc host --name=n -d i") ==
               "docker run --ulimit stack=67108864 --ulimit=memlock=-1 --ipc host --name=n -d i");
    BOOST_TEST(rewrite_docker_run(words(whole), "made")->name == "mine");
    BOOST_TEST(rewrite_docker_run(words("docker run --name=n i"), "made")->name == "n");
    BOOST_TEST(rewrite_docker_run(words("docker run i"), "made")->name == "made");
}

BOOST_AUTO_TEST_CASE(the_arguments_of_the_service_are_not_options_of_docker)
{
    BOOST_TEST(rewritten("docker run i --name x --ipc=host -d --rm -it") ==
               "docker run -d --name made --ipc=host " + limits + " i --name x --ipc=host -d --rm -it");
    BOOST_TEST(rewritten("docker run -e --name i") ==
               "docker run -d --name made --ipc=host " + limits + " -e --name i");
    BOOST_TEST(rewritten("docker run -- i -d") == "docker run -d --name made --ipc=host " + limits + " i -d");
}

BOOST_AUTO_TEST_CASE(terminals_and_rm_are_left_out_and_said)
{
    const auto run = rewrite_docker_run(words("docker run --rm -it --gpus all -a stdout i"), "made");
    BOOST_TEST(joined(run->argv) == "docker run -d --name made --ipc=host " + limits + " --gpus all i");
    BOOST_TEST(run->remove);
    BOOST_REQUIRE(run->notes.size() == 4U);
    BOOST_TEST(run->notes[0].starts_with("--rm left out: "));
    BOOST_TEST(run->notes[1] == "-i left out: a service has no terminal");
}

BOOST_AUTO_TEST_CASE(flags_turned_off_are_left_out_without_a_word)
{
    const auto run = rewrite_docker_run(words("docker run --rm=false --tty=false --detach=false i"), "made");
    BOOST_TEST(joined(run->argv) == "docker run -d --name made --ipc=host " + limits + " i");
    BOOST_TEST(!run->remove);
    BOOST_TEST(run->notes.empty());
}

BOOST_AUTO_TEST_CASE(clusters_are_taken_apart)
{
    BOOST_TEST(rewritten("docker run -itdp 80:80 i") ==
               "docker run --name made --ipc=host " + limits + " -d -p 80:80 i");
    BOOST_TEST(rewritten("docker run -dd i") == "docker run --name made --ipc=host " + limits + " -d i");
}

BOOST_AUTO_TEST_CASE(global_options_and_other_spellings)
{
    const auto run = rewrite_docker_run(words("/usr/bin/docker --context gpu -D container run i"), "made");
    BOOST_TEST(joined(run->argv) ==
               "/usr/bin/docker --context gpu -D container run -d --name made --ipc=host " + limits + " i");
    BOOST_TEST(joined(run->engine) == "/usr/bin/docker --context gpu -D");
    BOOST_TEST(rewritten("podman run --pull --tls-verify i") ==
               "podman run -d --name made --ipc=host " + limits + " --pull --tls-verify i");
}

BOOST_AUTO_TEST_CASE(what_is_no_run_command_is_left_alone)
{
    for (const auto* line : {"docker compose up", "docker start x", "docker", "", "vllm serve run",
                             "sudo docker run i", "docker --context run", "nerdctl run i"})
        BOOST_TEST(rewritten(line) == "no run");
}

BOOST_AUTO_TEST_CASE(a_restart_policy_is_spoken_of)
{
    const auto run = rewrite_docker_run(words("docker run --restart always i"), "made");
    BOOST_REQUIRE(run->notes.size() == 1U);
    BOOST_TEST(run->notes[0].starts_with("--restart always stays: "));
    BOOST_TEST(rewrite_docker_run(words("docker run --restart no i"), "made")->notes.empty());
}

BOOST_AUTO_TEST_CASE(no_image_and_no_value_are_errors)
{
    BOOST_CHECK_EXCEPTION(
        rewrite_docker_run(words("docker run --gpus all"), "made"), slo::UsageError,
        [](const auto& e) { return std::string(e.what()) == "docker run: no image given"; });
    BOOST_CHECK_EXCEPTION(
        rewrite_docker_run(words("docker run --gpus"), "made"), slo::UsageError,
        [](const auto& e) { return std::string(e.what()) == "--gpus: no option, or one without its value"; });
}

BOOST_AUTO_TEST_CASE(variables_are_passed_by_name_alone)
{
    const auto run = rewrite_docker_run(words("docker run -d i"), "n", {"A", "HF_TOKEN"});
    BOOST_TEST(joined(run->argv) == "docker run --name n --ipc=host " + limits + " -e A -e HF_TOKEN -d i");
}

BOOST_AUTO_TEST_CASE(names_of_containers)
{
    BOOST_TEST(container_name("sloutils-a b/c") == "sloutils-a-b-c");
    BOOST_TEST(container_name("-x") == "sx");
    BOOST_TEST(container_name("") == "service");
    BOOST_TEST(container_name("ä.b_c") == "s-.b_c");
}
