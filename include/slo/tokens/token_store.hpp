// SPDX-License-Identifier: MIT
// Tokens that were asked for before: the last of this run in memory, those of all runs in a file.

#ifndef SLO_TOKENS_TOKEN_STORE_HPP
#define SLO_TOKENS_TOKEN_STORE_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>
#include <slo/tokens/tokenizer.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace slo::tokens {

/// Keeps token lists by key (64 hexadecimal digits). The file is JSON Lines, appended to: a head,
/// {"schema":"sloutils.tokens/1"}, then {"key":…,"tokens":[…]}; several runs may use it at a time. Of it only
/// the keys are kept in memory. A line that is torn or not understood counts as never written.
class TokenStore {
public:
    /// No file. `memory_tokens`: about as many are kept in memory.
    explicit TokenStore(std::size_t memory_tokens = std::size_t{1} << 25) : memory_tokens_(memory_tokens) {}

    /// With a file, made where there is none. Throws IoError, and InputError for a file that is not such a
    /// store.
    explicit TokenStore(const std::string& path, std::size_t memory_tokens = std::size_t{1} << 25)
        : memory_tokens_(memory_tokens), name_(path)
    {
        fd_ = io::Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
        struct stat status {};
        if (!fd_ || ::fstat(fd_.get(), &status) != 0)
            throw IoError(name_, errno);
        if (!S_ISREG(status.st_mode))
            throw InputError(name_, "not a regular file");
        if (status.st_size == 0)
            io::write_all(fd_, std::string(head) + "\n", name_);
        read_keys();
    }

    /// What is kept under `key`.
    std::optional<TokenList> find(const std::string& key)
    {
        if (const auto found = young_.find(key); found != young_.end())
            return found->second;
        if (const auto found = old_.find(key); found != old_.end()) {
            auto tokens = std::move(found->second);
            old_.erase(found);
            remember(key, tokens);
            return tokens;
        }
        if (const auto found = lines_.find(key); found != lines_.end())
            return read_line(found->first, found->second);
        return std::nullopt;
    }

    /// Keeps a list; it is in the file after the next flush().
    void put(const std::string& key, const TokenList& tokens)
    {
        remember(key, tokens);
        if (!fd_)
            return;
        pending_.append(line_begin).append(key).append(tokens_begin);
        std::array<char, 12> digits{};
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), tokens[i]).ptr;
            pending_.append(i > 0 ? "," : "").append(digits.data(), end);
        }
        pending_ += "]}\n";
        if (pending_.size() >= std::size_t{1} << 22)
            flush();
    }

    /// Writes what is to be in the file. Throws IoError.
    void flush()
    {
        if (pending_.empty())
            return;
        const auto text = std::exchange(pending_, {});
        io::write_all(fd_, text, name_);
    }

private:
    static constexpr std::string_view head = R"({"schema":"sloutils.tokens/1"})";
    static constexpr std::string_view line_begin = R"({"key":")";
    static constexpr std::string_view tokens_begin = R"(","tokens":[)";
    static constexpr std::size_t key_bytes = 64;
    static constexpr std::size_t max_line_bytes = std::size_t{64} << 20;

    struct Line {
        std::int64_t offset;
        std::uint32_t bytes;
    };

    // Two generations: when the young one is full, it becomes the old one, and what has not been asked for
    // since is dropped.
    void remember(const std::string& key, const TokenList& tokens)
    {
        young_tokens_ += tokens.size() + 64; // the entry itself
        if (young_tokens_ > memory_tokens_ / 2) {
            old_ = std::exchange(young_, {});
            young_tokens_ = tokens.size() + 64;
        }
        young_[key] = tokens;
    }

    void read_keys()
    {
        std::string block(std::size_t{1} << 16, '\0');
        std::string begin; // of the line
        std::int64_t line_offset = 0;
        std::int64_t offset = 0;
        bool first = true;
        for (;;) {
            const auto got = read_at(offset, block.data(), block.size());
            if (got == 0)
                break;
            std::string_view rest(block.data(), got);
            while (!rest.empty()) {
                const auto end = rest.find('\n');
                const auto piece = rest.substr(0, end);
                begin.append(piece.substr(0, max_begin - std::min(max_begin, begin.size())));
                offset += static_cast<std::int64_t>(piece.size());
                rest.remove_prefix(piece.size());
                if (end == std::string_view::npos)
                    continue;
                take_line(begin, line_offset, offset, std::exchange(first, false));
                rest.remove_prefix(1);
                line_offset = ++offset;
                begin.clear();
            }
        }
        if (first)
            throw not_a_store();
        if (!begin.empty())
            pending_ = "\n"; // after a torn line
    }

    void take_line(const std::string& begin, std::int64_t from, std::int64_t to, bool first)
    {
        if (first && begin != head)
            throw not_a_store();
        const auto bytes = static_cast<std::uint64_t>(to - from);
        if (begin.size() < max_begin || bytes > max_line_bytes || !begin.starts_with(line_begin) ||
            std::string_view(begin).substr(line_begin.size() + key_bytes) != tokens_begin)
            return;
        lines_[begin.substr(line_begin.size(), key_bytes)] = {from, static_cast<std::uint32_t>(bytes)};
    }

    std::optional<TokenList> read_line(const std::string& key, const Line& line) const
    {
        std::string text(line.bytes, '\0');
        std::size_t have = 0;
        while (have < text.size()) {
            const auto got = read_at(line.offset + static_cast<std::int64_t>(have), text.data() + have,
                                     text.size() - have);
            if (got == 0)
                return std::nullopt; // cut since
            have += got;
        }
        std::string_view rest = text;
        if (!rest.ends_with("]}") || rest.substr(line_begin.size(), key_bytes) != key)
            return std::nullopt;
        rest = rest.substr(max_begin, rest.size() - max_begin - 2);
        TokenList tokens;
        while (!rest.empty()) {
            const auto end = std::min(rest.find(','), rest.size());
            const auto token = parse_integer<Token>(rest.substr(0, end));
            if (!token || end + 1 == rest.size())
                return std::nullopt;
            tokens.push_back(*token);
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        return tokens;
    }

    std::size_t read_at(std::int64_t offset, char* data, std::size_t size) const
    {
        for (;;) {
            const auto got = ::pread(fd_.get(), data, size, offset);
            if (got >= 0)
                return static_cast<std::size_t>(got);
            if (errno != EINTR)
                throw IoError(name_, errno);
        }
    }

    InputError not_a_store() const
    {
        return {name_, 1, "not a token cache: it does not begin with " + std::string(head)};
    }

    static constexpr std::size_t max_begin = line_begin.size() + key_bytes + tokens_begin.size();

    std::size_t memory_tokens_;
    std::string name_;
    io::Fd fd_;
    std::unordered_map<std::string, Line> lines_;
    std::unordered_map<std::string, TokenList> young_;
    std::unordered_map<std::string, TokenList> old_;
    std::size_t young_tokens_ = 0;
    std::string pending_;
};

} // namespace slo::tokens

#endif
