// SPDX-License-Identifier: MIT
#include <slo/tokens/server_tokenizer.hpp>
#define BOOST_TEST_MODULE tokens_server_tokenizer
#include <boost/test/unit_test.hpp>

#include <slo/engine/named_profile.hpp>
#include <slo/io/signals.hpp>
#include <slo/sim/server.hpp>
#include <slo/tokens/sim_tokenizer.hpp>

#include "../../support/scratch_file.hpp"
#include "../../support/tokenize_server.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

using namespace slo;
using namespace slo::tokens;
using test::ScratchFile;
using test::TokenizeRequest;
using test::TokenizeServer;
using Form = TokenizeServer::Form;

namespace {

ServerTokenizerOptions options_for(const std::string& url)
{
    ServerTokenizerOptions options;
    options.url = url;
    options.api_key = "key";
    options.pool.first_wait_s = 0.001;
    options.pool.connections = 16;
    return options;
}

std::vector<std::string> some_texts(std::size_t count)
{
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i)
        texts.push_back("the river number " + std::to_string(i));
    return texts;
}

std::vector<json::value> some_chats(std::size_t count)
{
    std::vector<json::value> chats;
    for (const auto& text : some_texts(count))
        chats.push_back(json::array{json::object{{"role", "system"}, {"content", "Be brief."}},
                                    json::object{{"role", "user"}, {"content", text}}});
    return chats;
}

std::vector<TokenList> encode(Tokenizer& tokenizer, const std::vector<json::value>& prompts)
{
    std::vector<const json::value*> pointers;
    for (const auto& prompt : prompts)
        pointers.push_back(&prompt);
    return tokenizer.encode_prompts(pointers);
}

// engine-sim in a process of its own.
class EngineSim {
public:
    EngineSim()
    {
        int ends[2];
        BOOST_REQUIRE(::pipe(ends) == 0);
        process_ = ::fork();
        if (process_ == 0) {
            std::signal(SIGABRT, SIG_DFL);
            io::StopSignal stop;
            sim::ServiceOptions options;
            options.profile = *engine::named_profile("small");
            sim::Server server({"127.0.0.1", 0}, options);
            const auto port = server.port();
            if (::write(ends[1], &port, sizeof port) != sizeof port)
                ::_exit(1);
            server.run(stop);
            ::_exit(0);
        }
        std::uint16_t port = 0;
        BOOST_REQUIRE(::read(ends[0], &port, sizeof port) == sizeof port);
        ::close(ends[0]);
        ::close(ends[1]);
        url_ = "http://127.0.0.1:" + std::to_string(port);
    }
    ~EngineSim() { kill(); }

    void kill()
    {
        if (process_ > 0) {
            ::kill(process_, SIGKILL);
            ::waitpid(process_, nullptr, 0);
        }
        process_ = -1;
    }
    const std::string& url() const { return url_; }

private:
    pid_t process_ = -1;
    std::string url_;
};

} // namespace

BOOST_AUTO_TEST_CASE(engine_sim_and_its_tokenizer_agree)
{
    const EngineSim engine;
    ServerTokenizer server(options_for(engine.url() + "/v1"));
    SimTokenizer sim;
    BOOST_TEST(server.description().at("form").as_string() == "engine-sim");
    const auto texts = some_texts(200);
    BOOST_TEST((server.encode_texts(texts) == sim.encode_texts(texts)));
    auto prompts = some_chats(50);
    prompts.emplace_back("a text for itself");
    BOOST_TEST((encode(server, prompts) == encode(sim, prompts)));
}

BOOST_AUTO_TEST_CASE(n_texts_take_n_over_64_requests_where_lists_are_taken)
{
    const TokenizeServer server(Form::sglang);
    ServerTokenizer tokenizer(options_for(server.url()));
    const auto before = server.received().size();
    const auto texts = some_texts(1000);
    BOOST_TEST((tokenizer.encode_texts(texts) == SimTokenizer().encode_texts(texts)));
    BOOST_TEST(server.received().size() - before == 16U); // ceil(1000 / 64)
    BOOST_TEST(tokenizer.requests() == server.received().size());
}

BOOST_AUTO_TEST_CASE(a_batch_is_bounded_in_bytes_too)
{
    const TokenizeServer server(Form::sglang);
    ServerTokenizer tokenizer(options_for(server.url()));
    const auto before = server.received().size();
    std::vector<std::string> texts;
    for (int i = 0; i < 6; ++i)
        texts.push_back(std::string(400'000, static_cast<char>('a' + i)));
    tokenizer.encode_texts(texts);
    BOOST_TEST(server.received().size() - before == 3U);
}

BOOST_AUTO_TEST_CASE(equal_prompts_are_asked_once_within_a_call_and_across_calls)
{
    for (const auto form : {Form::vllm, Form::sglang, Form::llama_cpp}) {
        const TokenizeServer server(form);
        ServerTokenizer tokenizer(options_for(server.url()));
        const auto before = server.received().size();
        auto prompts = some_chats(20);
        const auto again = prompts;
        prompts.insert(prompts.end(), again.begin(), again.end());
        prompts.insert(prompts.end(), again.begin(), again.end());
        const auto lists = encode(tokenizer, prompts);
        const std::size_t each = form == Form::llama_cpp ? 2 : 1;
        BOOST_TEST(server.received().size() - before == 20 * each);
        BOOST_TEST((encode(tokenizer, again) == std::vector<TokenList>(lists.begin(), lists.begin() + 20)));
        BOOST_TEST((lists[0] == lists[20] && lists[20] == lists[40] && lists[0] != lists[1]));
        BOOST_TEST(server.received().size() - before == 20 * each);
    }
}

BOOST_AUTO_TEST_CASE(each_form_gives_the_tokens_that_its_engine_would_take)
{
    const auto chat = some_chats(1).front();
    const auto rendered = render(ChatTemplate::chatml, chat.as_array());
    const auto plain = engine::tokenize(rendered);
    auto marked = plain;
    marked.insert(marked.begin(), 1);
    for (const auto form : {Form::vllm, Form::sglang, Form::sglang_marks, Form::llama_cpp}) {
        const TokenizeServer server(form);
        ServerTokenizer tokenizer(options_for(server.url()));
        // llama.cpp's tokenizer puts the first token that vLLM's templates bring along.
        BOOST_TEST((encode(tokenizer, {chat}).front() == (form == Form::llama_cpp ? marked : plain)));
        BOOST_TEST((encode(tokenizer, {json::value(rendered)}).front() == marked));
        BOOST_TEST((tokenizer.encode_texts(std::vector<std::string>{rendered}).front() == plain));
    }
}

BOOST_AUTO_TEST_CASE(with_a_cache_file_a_second_run_asks_only_what_the_server_is)
{
    const TokenizeServer server(Form::vllm);
    const ScratchFile cache;
    auto options = options_for(server.url());
    options.cache_file = cache.path();
    const auto prompts = some_chats(30);
    std::vector<TokenList> first;
    std::uint64_t probes = 0;
    {
        ServerTokenizer tokenizer(options);
        probes = tokenizer.requests();
        first = encode(tokenizer, prompts);
        BOOST_TEST(tokenizer.requests() == probes + 30);
    }
    ServerTokenizer tokenizer(options);
    BOOST_TEST((encode(tokenizer, prompts) == first));
    BOOST_TEST(tokenizer.requests() == probes);
    // A text that reads as the chat does is another question.
    tokenizer.encode_texts(std::vector<std::string>{to_json(prompts.front())});
    BOOST_TEST(tokenizer.requests() == probes + 1);
    // And so is the same chat for another model.
    const TokenizeServer other(Form::sglang);
    options.url = other.url();
    ServerTokenizer another(options);
    const auto before = another.requests();
    encode(another, prompts);
    BOOST_TEST(another.requests() == before + 30);
}

BOOST_AUTO_TEST_CASE(a_server_that_does_not_count_chats_is_told_of_once_it_matters)
{
    const TokenizeServer server(Form::sglang_without_chats);
    ServerTokenizer tokenizer(options_for(server.url()));
    tokenizer.encode_texts(some_texts(3));
    BOOST_CHECK_EXCEPTION(encode(tokenizer, some_chats(1)), Error, [&](const Error& error) {
        const std::string said = error.what();
        return said.starts_with(server.url("/tokenize") + ": does not count chats (HTTP 400: ") &&
               said.find("--chat-template") != std::string::npos;
    });
    auto options = options_for(server.url());
    options.chat_template = ChatTemplate::chatml;
    ServerTokenizer rendering(options);
    const auto before = server.received().size();
    const auto chats = some_chats(100);
    const auto lists = encode(rendering, chats);
    BOOST_TEST(server.received().size() - before == 2U); // rendered here, they go in lists
    BOOST_TEST((lists[7] == engine::tokenize(render(ChatTemplate::chatml, chats[7].as_array()))));
    BOOST_TEST(rendering.description().at("template").as_string() == "chatml");
}

BOOST_AUTO_TEST_CASE(a_server_that_dies_in_the_middle_is_one_error_and_what_it_said_is_kept)
{
    const ScratchFile cache;
    EngineSim engine;
    auto options = options_for(engine.url());
    options.cache_file = cache.path();
    ServerTokenizer tokenizer(options);
    encode(tokenizer, some_chats(10));
    engine.kill();
    BOOST_CHECK_EXCEPTION(encode(tokenizer, some_chats(500)), Error, [&](const Error& error) {
        const std::string said = error.what();
        return said.starts_with(engine.url() + "/tokenize: ") && said.find('\n') == std::string::npos;
    });
    BOOST_TEST(encode(tokenizer, some_chats(10)).size() == 10U); // known
    const auto kept = io::read_all(cache.path(), 1 << 20);
    BOOST_TEST(std::count(kept.begin(), kept.end(), '\n') == 11);
}

BOOST_AUTO_TEST_CASE(answers_before_an_error_reach_the_cache)
{
    const ScratchFile cache;
    std::atomic<int> count = 0;
    const TokenizeServer server(
        Form::vllm, [&](const TokenizeRequest& request) -> std::optional<std::string> {
            if (request.body.find("number") == std::string::npos || ++count <= 40)
                return std::nullopt;
            return TokenizeServer::response(500, R"({"error":{"message":"out of memory"}})");
        });
    auto options = options_for(server.url());
    options.cache_file = cache.path();
    ServerTokenizer tokenizer(options);
    BOOST_CHECK_EXCEPTION(encode(tokenizer, some_chats(100)), Error, [&](const Error& error) {
        return error.what() == server.url("/tokenize") + ": HTTP 500: out of memory";
    });
    const auto kept = io::read_all(cache.path(), 1 << 20);
    BOOST_TEST(std::count(kept.begin(), kept.end(), '\n') > 20);
}

BOOST_AUTO_TEST_CASE(the_record_says_who_counted_and_no_secret)
{
    const TokenizeServer server(Form::vllm);
    ServerTokenizer tokenizer(options_for("http://user:secret@" + server.url("/v1").substr(7)));
    const auto said = tokenizer.description();
    BOOST_TEST(said.at("kind").as_string() == "server");
    BOOST_TEST(said.at("url").as_string() == server.url());
    BOOST_TEST(said.at("form").as_string() == "vllm");
    BOOST_TEST(said.at("model").as_string() == "m");
    BOOST_TEST(said.at("template").as_string() == "server");
    BOOST_TEST(said.at("max_model_len").as_int64() == 4096);
    BOOST_TEST(said.at("fingerprint").as_string().size() == 16U);
    BOOST_TEST(to_json(said).find("secret") == std::string::npos);
    BOOST_TEST(to_json(said).find("key") == std::string::npos);
}
