// SPDX-License-Identifier: MIT
#include <slo/sim/service.hpp>
#define BOOST_TEST_MODULE sim_service
#include <boost/test/unit_test.hpp>

#include <slo/engine/named_profile.hpp>
#include <slo/sim/completion.hpp>
#include <slo/sim/connection.hpp>
#include <slo/sim/server.hpp>

#include <boost/asio/connect.hpp>
#include <boost/asio/read.hpp>

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

using namespace slo;
using namespace slo::sim;
using boost::asio::ip::tcp;

namespace {

// A service and a client on one thread: the client's operations are finished by running the context.
struct Fixture {
    explicit Fixture(ServiceOptions options = with_fast_steps()) : service(context, std::move(options)) {}

    static ServiceOptions with_fast_steps()
    {
        ServiceOptions options;
        options.profile = *engine::named_profile("small");
        options.profile.step = {1e-4, 0, 0, 0};
        return options;
    }

    tcp::socket connect()
    {
        tcp::acceptor acceptor(context, {boost::asio::ip::address_v4::loopback(), 0});
        tcp::socket client(context);
        client.connect(acceptor.local_endpoint());
        std::make_shared<Connection>(acceptor.accept(), service)->start();
        return client;
    }

    // Sends `request` and returns everything until the server closes.
    std::string talk(const std::string& request)
    {
        auto client = connect();
        boost::asio::write(client, boost::asio::buffer(request));
        std::string answer;
        bool closed = false;
        boost::asio::async_read(client, boost::asio::dynamic_buffer(answer),
                                [&](const boost::system::error_code&, std::size_t) { closed = true; });
        while (!closed)
            context.run_one();
        return answer;
    }

    static std::string post(const std::string& path, const std::string& body)
    {
        return "POST " + path +
               " HTTP/1.1\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) +
               "\r\n\r\n" + body;
    }

    std::string metrics() { return talk("GET /metrics HTTP/1.1\r\nConnection: close\r\n\r\n"); }

    boost::asio::io_context context;
    Service service;
};

bool has(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

BOOST_FIXTURE_TEST_CASE(pipelined_requests_are_answered_in_order, Fixture)
{
    const std::string body = R"({"prompt":"Hello","max_tokens":2,"stream":true})";
    const auto answer =
        talk("POST /v1/completions HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
             body + "GET /nowhere HTTP/1.1\r\n\r\nGET /health HTTP/1.1\r\nConnection: close\r\n\r\n");
    const auto first = answer.find("text/event-stream"), second = answer.find("404 Not Found"),
               third = answer.rfind("HTTP/1.1 200 OK");
    BOOST_TEST(first < second);
    BOOST_TEST(second < third);
    BOOST_TEST(has(answer, "data: [DONE]\n\n\r\n0\r\n\r\nHTTP/1.1 404"));
}

BOOST_AUTO_TEST_CASE(an_endpoint_that_breaks_answers_500_and_the_service_goes_on)
{
    struct Broken : Service {
        using Service::Service;
        void route(const std::shared_ptr<Connection>& connection, const Connection::Request& request) override
        {
            if (request.target() == "/broken")
                throw std::length_error("too\nmuch");
            Service::route(connection, request);
        }
    };
    boost::asio::io_context context;
    Broken service(context, Fixture::with_fast_steps());
    const auto talk = [&](const std::string& path) {
        tcp::acceptor acceptor(context, {boost::asio::ip::address_v4::loopback(), 0});
        tcp::socket client(context);
        client.connect(acceptor.local_endpoint());
        std::make_shared<Connection>(acceptor.accept(), service)->start();
        boost::asio::write(client,
                           boost::asio::buffer("GET " + path + " HTTP/1.1\r\nConnection: close\r\n\r\n"));
        std::string answer;
        bool closed = false;
        boost::asio::async_read(client, boost::asio::dynamic_buffer(answer),
                                [&](const boost::system::error_code&, std::size_t) { closed = true; });
        while (!closed)
            context.run_one();
        return answer;
    };
    const auto broken = talk("/broken");
    BOOST_TEST(broken.starts_with("HTTP/1.1 500 "));
    BOOST_TEST(has(broken, "internal error: too?much"));
    BOOST_TEST(talk("/health").starts_with("HTTP/1.1 200 "));
}

BOOST_FIXTURE_TEST_CASE(what_one_step_brings_for_a_connection_is_one_chunk, Fixture)
{
    const auto answer =
        talk(post("/v1/completions", R"({"prompt":"Hello","max_tokens":2,"n":5,"stream":true})"));
    std::size_t chunks = 0;
    for (auto at = answer.find("\r\ndata: "); at != std::string::npos; at = answer.find("\r\ndata: ", at + 1))
        ++chunks;
    BOOST_TEST(chunks == 2u);
    for (int choice = 0; choice < 5; ++choice)
        BOOST_TEST(has(answer, "{\"index\":" + std::to_string(choice)));
}

BOOST_FIXTURE_TEST_CASE(a_client_that_leaves_gives_its_blocks_back, Fixture)
{
    {
        auto client = connect();
        boost::asio::write(client, boost::asio::buffer(post(
                                       "/v1/completions", R"({"prompt":"Hello","max_tokens":8000,"n":9})")));
        for (int i = 0; i < 20; ++i)
            context.run_one();
    }
    std::string text;
    do
        text = metrics();
    while (!has(text, "vllm:num_requests_running{engine=\"0\",model_name=\"sim-small\"} 0.0"));
    BOOST_TEST(has(text, "finished_reason=\"abort\"} 9.0"));
    BOOST_TEST(has(text, "vllm:kv_cache_usage_perc{engine=\"0\",model_name=\"sim-small\"} 0.0"));
}

BOOST_AUTO_TEST_CASE(the_same_seed_gives_the_same_words)
{
    const auto words = [](const std::string& answer) {
        const auto at = answer.find("\"text\":");
        return answer.substr(at, answer.find("\",", at) - at);
    };
    Fixture first, second;
    const auto request = Fixture::post("/v1/completions", R"({"prompt":"Hello","max_tokens":9})");
    const auto said = words(first.talk(request));
    BOOST_TEST(said == words(second.talk(request)));
    BOOST_TEST(said != words(first.talk(request)));
}

BOOST_AUTO_TEST_CASE(a_port_file_is_whole_or_absent)
{
    const auto path =
        (std::filesystem::temp_directory_path() / ("slo-port-" + std::to_string(::getpid()))).string();
    write_port_file(path, 4711);
    BOOST_TEST(io::read_all(path, 100) == "4711\n");
    BOOST_TEST(!std::filesystem::exists(path + ".tmp"));
    std::filesystem::remove(path);
    BOOST_CHECK_THROW(write_port_file("/nowhere/port", 1), IoError);
}
