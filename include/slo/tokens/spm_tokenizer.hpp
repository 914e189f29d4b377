// SPDX-License-Identifier: MIT
// Tokens by a sentencepiece model, as Llama 2, Mistral, Gemma and T5 bring one.

#ifndef SLO_TOKENS_SPM_TOKENIZER_HPP
#define SLO_TOKENS_SPM_TOKENIZER_HPP

#include <slo/base/digest.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>
#include <slo/tokens/chat_template.hpp>
#include <slo/tokens/prompt.hpp>
#include <slo/tokens/tokenizer.hpp>

#include <sentencepiece_processor.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slo::tokens {

namespace detail {

// What the library says on stderr is for its developers.
class QuietStderr {
public:
    QuietStderr() : saved_(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3))
    {
        const io::Fd null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
        if (saved_ && null)
            ::dup2(null.get(), STDERR_FILENO);
    }
    QuietStderr(const QuietStderr&) = delete;
    QuietStderr& operator=(const QuietStderr&) = delete;
    ~QuietStderr()
    {
        if (saved_)
            ::dup2(saved_.get(), STDERR_FILENO);
    }

private:
    io::Fd saved_;
};

// Letters of several scripts, marks that combine, what is no UTF-8, and a long word.
inline std::string trial_text()
{
    return "Hello, wörld!  ½ ﬁ ａｂｃ 水 日本語 نص नमस्ते ну да e\xCC\x81 \xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F"
           "\x9A\x80 \xFF\xC0\x80 \t\r\n 12345 <s></s><unk> " +
           std::string(300, 'x');
}

// True when a child of this process comes through `work`.
template <class Work>
bool child_survives(const Work& work)
{
    const auto child = ::fork();
    if (child < 0)
        throw IoError("fork", errno);
    if (child == 0) {
        for (const int fatal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL})
            ::signal(fatal, SIG_DFL);
        constexpr rlim_t most_seconds = 60;
        const rlimit cpu{most_seconds, most_seconds};
        const rlimit no_core{0, 0};
        ::setrlimit(RLIMIT_CPU, &cpu);
        ::setrlimit(RLIMIT_CORE, &no_core);
        ::dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);
        int status = 0;
        try {
            work();
        } catch (...) {
            status = 1;
        }
        ::_exit(status);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            throw IoError("wait", errno);
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The library ends the process on some of the errors that it finds, and reads where it should not on others:
// better in a child, first.
inline bool survives_trial(const std::string& model)
{
    return child_survives([&] {
        sentencepiece::SentencePieceProcessor processor;
        std::vector<int> ids;
        if (processor.LoadFromSerializedProto(model).ok())
            processor.Encode(trial_text(), &ids).IgnoreError();
    });
}

} // namespace detail

/// Counts by a model file. Chats go through a template by name, and where the model has a mark for the
/// beginning, prompts begin with it.
class SpmTokenizer final : public Tokenizer {
public:
    /// Throws IoError, and InputError for a file that is no such model.
    explicit SpmTokenizer(const std::string& path, ChatTemplate chat_template = ChatTemplate::plain)
        : name_(io::display_name(path)), template_(chat_template)
    {
        const auto model = io::read_all(path, max_model_bytes);
        digest_ = sha256(model);
        if (!detail::survives_trial(model))
            throw InputError(name_, "the sentencepiece library does not survive this model");
        const detail::QuietStderr quiet;
        if (const auto status = processor_.LoadFromSerializedProto(model); !status.ok())
            throw InputError(name_, "not a sentencepiece model: " + reason_of(status));
    }

    std::vector<TokenList> encode_texts(std::span<const std::string> texts) override
    {
        const detail::QuietStderr quiet;
        std::vector<TokenList> lists;
        lists.reserve(texts.size());
        for (const auto& text : texts)
            lists.push_back(encode(text, {}));
        return lists;
    }

    std::vector<TokenList> encode_prompts(std::span<const json::value* const> prompts) override
    {
        const detail::QuietStderr quiet;
        std::vector<TokenList> lists;
        lists.reserve(prompts.size());
        for (const auto* prompt : prompts)
            lists.push_back(visit_prompt(
                *prompt,
                [&](const json::array& messages) { return encode(render(template_, messages), beginning()); },
                [&](std::string_view text) { return encode(text, beginning()); }));
        return lists;
    }

    json::object description() const override
    {
        return {{"kind", "spm"},
                {"file", json_text(printable(name_, 4096))},
                {"sha256", json_text(digest_)},
                {"vocabulary", processor_.GetPieceSize()},
                {"template", json_text(name_of(template_))},
                {"begins_prompts", processor_.bos_id() >= 0}};
    }

private:
    static constexpr std::size_t max_model_bytes = std::size_t{256} << 20;

    TokenList beginning() const
    {
        const int id = processor_.bos_id();
        return id < 0 ? TokenList() : TokenList{static_cast<Token>(id)};
    }

    TokenList encode(std::string_view text, TokenList tokens) const
    {
        std::vector<int> ids;
        if (const auto status = processor_.Encode(text, &ids); !status.ok())
            throw InputError(name_, "does not encode a text: " + reason_of(status));
        tokens.reserve(tokens.size() + ids.size());
        for (const int id : ids) {
            if (id < 0)
                throw InputError(name_, "gives a token a number below zero");
            tokens.push_back(static_cast<Token>(id));
        }
        return tokens;
    }

    // Without the place and the code of the library's source.
    static std::string reason_of(const sentencepiece::util::Status& status)
    {
        std::string_view reason(status.error_message());
        if (reason.find(".cc(") != std::string_view::npos)
            reason.remove_prefix(std::min(reason.find(']'), reason.size() - 1) + 1);
        const auto words = trim(reason);
        return words.empty() ? "damaged, or another kind of file" : printable(words, 200);
    }

    std::string name_;
    ChatTemplate template_;
    std::string digest_;
    sentencepiece::SentencePieceProcessor processor_;
};

} // namespace slo::tokens

#endif
