// SPDX-License-Identifier: MIT
// The canned server as a program for CLI cases: canned_server [LOG [HEADS]]. Prints its port, serves until
// it is killed; LOG receives a line for each POST: its conversation header and its body. HEADS receives the
// lines of its head.

#include "canned_server.hpp"

#include <slo/io/jsonl.hpp>

#include <csignal>
#include <string>

namespace {

std::string conversation_of(const std::string& head)
{
    const std::string name = "X-Flow-Conversation-Id: ";
    const auto at = head.find(name);
    if (at == std::string::npos)
        return "-";
    const auto begin = at + name.size();
    return head.substr(begin, head.find('\r', begin) - begin);
}

} // namespace

int main(int argc, char** argv)
{
    slo::io::JsonlWriter log(argc > 1 ? argv[1] : "/dev/null");
    slo::io::JsonlWriter heads(argc > 2 ? argv[2] : "/dev/null");
    const slo::test::CannedServer server([&](const slo::test::Received& request) {
        if (request.method != "POST")
            return;
        log.write_text(conversation_of(request.head) + " " + request.body + "\n");
        heads.write_text(request.head + "\n");
    });
    slo::io::JsonlWriter("-").write_text(std::to_string(server.port()) + "\n");
    sigset_t none;
    sigemptyset(&none);
    sigsuspend(&none);
}
