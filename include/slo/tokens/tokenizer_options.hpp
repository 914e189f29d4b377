// SPDX-License-Identifier: MIT
// Which tokenizer, as the command line says it.

#ifndef SLO_TOKENS_TOKENIZER_OPTIONS_HPP
#define SLO_TOKENS_TOKENIZER_OPTIONS_HPP

#include <slo/base/error.hpp>
#include <slo/base/shown_url.hpp>
#include <slo/base/text.hpp>
#include <slo/net/api_key.hpp>
#include <slo/net/http.hpp>
#include <slo/net/tls_files.hpp>
#include <slo/tokens/approx_tokenizer.hpp>
#include <slo/tokens/chat_template.hpp>
#include <slo/tokens/server_tokenizer.hpp>
#include <slo/tokens/sim_tokenizer.hpp>
#include <slo/tokens/spm_tokenizer.hpp>
#include <slo/tokens/tokenizer.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace slo::tokens {

/// The options of those who count tokens. `how` at first is the default that --help shows; empty: the option
/// must be given.
struct TokenizerOptions {
    std::string how = "approx:4";
    std::string chat_template;
    std::string model;
    std::string api_key_file;
    std::string cache_file;
    int connections = 64;
    net::TlsOptions tls;

    /// For verbs whose rows are worthless unless the lengths are exact.
    static TokenizerOptions required()
    {
        TokenizerOptions options;
        options.how.clear();
        return options;
    }

    /// Adds the options to a table of the cli layer, which this layer does not know.
    template <class Table>
    void describe(Table& table)
    {
        table.section("Token counts");
        table.add("tokenizer", how, "HOW",
                  "sim, approx:CHARS, spm:FILE or server:URL (asked as vLLM, SGLang, llama.cpp or engine-sim "
                  "want it)");
        table.add("chat-template", chat_template, "NAME",
                  "render chats here: chatml, llama3 or plain; else approx and spm take plain, and a server "
                  "its own");
        table.add("tokenizer-model", model, "MODEL", "the model named to the server; else its first");
        table.add("api-key-file", api_key_file, "FILE", "the server's API key; else OPENAI_API_KEY");
        table.add("token-cache", cache_file, "FILE", "keep the server's answers there for the next run");
        table.add("tokenizer-connections", connections, "N", "requests in flight to the server");
        table.add("ca-file", tls.ca_file, "FILE", "authorities to trust instead of the system's (PEM)");
        table.flag("insecure", tls.insecure, "take any certificate of the server");
    }

    /// The tokenizer. Throws UsageError for what `how` does not say, Error where it cannot be had.
    std::unique_ptr<Tokenizer> open() const
    {
        const auto colon = how.find(':');
        const auto kind = how.substr(0, colon);
        const auto what = colon == std::string::npos ? std::string() : how.substr(colon + 1);
        if (kind.empty())
            throw UsageError("--tokenizer", "must be given: the lengths must be exact");
        if (kind == "server" && !what.empty())
            return server(what);
        if (!cache_file.empty())
            throw UsageError("--token-cache", "is for server:URL: nothing else is slow");
        if (kind == "sim" && colon == std::string::npos) {
            if (!chat_template.empty())
                throw UsageError("--chat-template", "is not for sim: engine-sim has a template of its own");
            return std::make_unique<SimTokenizer>();
        }
        if (kind == "approx")
            return std::make_unique<ApproxTokenizer>(colon == std::string::npos ? 4 : chars_of(what),
                                                     chosen_template());
        if (kind == "spm" && !what.empty())
            return std::make_unique<SpmTokenizer>(what, chosen_template());
        if (kind == "hf")
            throw UsageError("--tokenizer", "no library here reads tokenizer.json: let the server count, "
                                            "with server:URL");
        throw UsageError("--tokenizer", "'" + printable(shown_url(how), 60) +
                                            "' is not one of sim, approx:CHARS, spm:FILE, server:URL");
    }

private:
    std::unique_ptr<Tokenizer> server(const std::string& url) const
    {
        if (connections < 1 || connections > 4096)
            throw UsageError("--tokenizer-connections", "must be from 1 to 4096");
        // Without a scheme nothing tells a password from the rest of a URL, to leave it out of what is shown.
        if (url.find("://") == std::string::npos && url.find('@') != std::string::npos)
            throw UsageError("--tokenizer", "server:URL with a user name needs http:// or https://");
        ServerTokenizerOptions options;
        options.url = url;
        options.model = model;
        options.api_key = net::find_api_key({}, api_key_file);
        options.cache_file = cache_file;
        if (!chat_template.empty())
            options.chat_template = chosen_template();
        options.pool.connections = connections;
        options.pool.tls = tls;
        net::check_tls_files(tls);
        return std::make_unique<ServerTokenizer>(options);
    }

    static double chars_of(const std::string& text)
    {
        const auto chars = parse_double(text);
        if (!chars)
            throw UsageError("--tokenizer", "approx:CHARS needs a number, not '" + printable(text, 40) + "'");
        return *chars;
    }

    ChatTemplate chosen_template() const
    {
        return chat_template.empty() ? ChatTemplate::plain : parse_chat_template(chat_template);
    }
};

} // namespace slo::tokens

#endif
