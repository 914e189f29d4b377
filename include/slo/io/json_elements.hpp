// SPDX-License-Identifier: MIT
// The elements of a JSON array of any size, one by one; JSON Lines are taken, too.

#ifndef SLO_IO_JSON_ELEMENTS_HPP
#define SLO_IO_JSON_ELEMENTS_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>
#include <slo/io/jsonl.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slo::io {

/// Hands out the text of each element of the array that a file or pipe holds, as soon as it is there; never
/// more than one element is in memory. The array may be the first member of an object. Where the file does
/// not begin like either, each of its lines that is not blank counts as an element. The texts are not
/// checked: their reader parses them.
class JsonElements {
public:
    static constexpr std::size_t max_element_bytes = LineReader::max_line_bytes;

    /// Opens `path` ("-" is stdin). `member` names the object's first member that may hold the array. Throws
    /// IoError.
    explicit JsonElements(const std::string& path, std::string member = {})
        : JsonElements(open_input(path), display_name(path), std::move(member))
    {
    }
    JsonElements(Fd fd, std::string name, std::string member = {})
        : fd_(std::move(fd)), name_(std::move(name)), member_(std::move(member))
    {
    }

    void observe(LineReader::Observer observer) { observer_ = std::move(observer); }

    /// The next element, or nothing at the end; valid until the next call. Throws IoError, and InputError for
    /// an array that does not end and for an element that is too long.
    std::optional<std::string_view> next()
    {
        if (shape_ == Shape::unknown)
            begin();
        return shape_ == Shape::lines ? next_line() : next_element();
    }

    /// The 1-based number of the element handed out last, and the line on which it begins.
    std::size_t element() const noexcept { return element_; }
    std::size_t line() const noexcept { return line_; }
    const std::string& name() const noexcept { return name_; }

    /// An error about the element handed out last: "file:line: reason", with the number of the element where
    /// it is one of an array.
    InputError error(std::string_view reason) const
    {
        return {name_, line_,
                (shape_ == Shape::lines ? "" : "element " + std::to_string(element_) + ": ") +
                    std::string(reason)};
    }

private:
    enum class Shape { unknown, lines, array, member, ended };

    // What a pipe gives at a time: room for more would be cleared anew for each reading.
    static constexpr std::size_t block_bytes = 65536;

    void begin()
    {
        if (at(2) >= 0 && std::string_view(buffer_).starts_with("\xEF\xBB\xBF"))
            begin_ = 3;
        shape_ = Shape::lines;
        std::size_t offset = blanks(0);
        if (at(offset) == '[')
            shape_ = Shape::array;
        else if (member_.empty() || at(offset) != '{' || !is_member(offset))
            return;
        else
            shape_ = Shape::member;
        consume(offset + 1);
    }

    // Moves `offset` from the brace to the bracket of `{"member": [`; false where that does not stand there.
    bool is_member(std::size_t& offset)
    {
        auto end = blanks(offset + 1);
        for (const char c : '"' + member_ + '"') {
            if (at(end++) != c)
                return false;
        }
        end = blanks(end);
        if (at(end) != ':')
            return false;
        offset = blanks(end + 1);
        return at(offset) == '[';
    }

    std::optional<std::string_view> next_line()
    {
        for (;;) {
            std::size_t length = 0;
            int c = at(0);
            if (c < 0)
                return std::nullopt;
            for (; c >= 0 && c != '\n'; c = at(length)) {
                const auto end = buffer_.find('\n', begin_ + length);
                length = (end == std::string::npos ? buffer_.size() : end) - begin_;
            }
            const auto line = trim(consume(length + (c == '\n')));
            if (line.empty())
                continue;
            ++element_;
            return line;
        }
    }

    std::optional<std::string_view> next_element()
    {
        if (shape_ == Shape::ended)
            return std::nullopt;
        if (element_ == 0) {
            const auto first = blanks(0);
            if (at(first) == ']')
                return end(first);
        } else if (closed_) {
            return end(0);
        }
        consume(blanks(0));
        ++element_;
        const auto length = element_bytes(0);
        closed_ = at(length) == ']';
        return trim(consume(length + !closed_).substr(0, length));
    }

    // Bytes from `begin` to the comma or bracket that ends the element.
    std::size_t element_bytes(std::size_t begin)
    {
        std::size_t depth = 0;
        bool in_string = false;
        for (auto i = begin;; ++i) {
            const int c = at(i);
            if (c < 0)
                throw InputError(name_, position_, "the file ends inside of the array");
            if (in_string) {
                if (c == '\\')
                    ++i;
                else if (c == '"')
                    in_string = false;
            } else if (c == '"') {
                in_string = true;
            } else if (c == '{' || c == '[') {
                ++depth;
            } else if (depth == 0 && (c == ',' || c == ']')) {
                return i;
            } else if (c == '}' || c == ']') {
                if (depth == 0)
                    throw InputError(name_, position_, "a brace closes what none opened");
                --depth;
            }
        }
    }

    // After the array's last element: what follows must be the end.
    std::optional<std::string_view> end(std::size_t offset)
    {
        consume(offset + 1);
        if (shape_ == Shape::member)
            skip_members();
        shape_ = Shape::ended;
        const auto rest = blanks(0);
        if (at(rest) >= 0) {
            consume(rest);
            throw InputError(name_, position_, "text after the end of the array");
        }
        return std::nullopt;
    }

    // What else the object holds, up to and with its brace.
    void skip_members()
    {
        std::size_t depth = 0;
        bool in_string = false;
        for (int c = at(0); c >= 0; c = at(0)) {
            consume(1);
            if (in_string && c == '\\' && at(0) >= 0)
                consume(1); // it may lie in the next block only
            else if (c == '"')
                in_string = !in_string;
            else if (!in_string && (c == '{' || c == '['))
                ++depth;
            else if (!in_string && (c == '}' || c == ']') && depth-- == 0)
                return;
        }
        throw InputError(name_, position_, "the file ends inside of an object");
    }

    // The offset of the first byte from `offset` on that is no white space.
    std::size_t blanks(std::size_t offset)
    {
        for (int c = at(offset); c == ' ' || c == '\n' || c == '\r' || c == '\t'; c = at(++offset)) {
        }
        return offset;
    }

    // The byte at `offset` behind what is consumed; -1 at the end of the file.
    int at(std::size_t offset)
    {
        while (begin_ + offset >= buffer_.size()) {
            if (!fill())
                return -1;
        }
        return static_cast<unsigned char>(buffer_[begin_ + offset]);
    }

    std::string_view consume(std::size_t length)
    {
        length = std::min(length, buffer_.size() - begin_);
        const auto text = std::string_view(buffer_).substr(begin_, length);
        line_ = position_;
        position_ += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
        begin_ += length;
        return text;
    }

    bool fill()
    {
        if (at_end_)
            return false;
        buffer_.erase(0, begin_);
        begin_ = 0;
        const auto old_size = buffer_.size();
        if (old_size > max_element_bytes)
            throw InputError(name_, position_, "more than 256 MiB without the end of an element");
        buffer_.resize(old_size + block_bytes);
        if (observer_.before_read)
            observer_.before_read();
        const auto got = read_some(fd_, buffer_.data() + old_size, block_bytes, name_);
        buffer_.resize(old_size + got);
        if (observer_.on_bytes)
            observer_.on_bytes(std::string_view(buffer_).substr(old_size));
        at_end_ = got == 0;
        return !at_end_;
    }

    Fd fd_;
    std::string name_;
    std::string member_;
    LineReader::Observer observer_;
    std::string buffer_;
    std::size_t begin_ = 0; // of what is not consumed
    Shape shape_ = Shape::unknown;
    bool closed_ = false; // the array's bracket follows the element handed out
    bool at_end_ = false;
    std::size_t element_ = 0;
    std::size_t line_ = 1;
    std::size_t position_ = 1; // the line of the first byte that is not consumed
};

} // namespace slo::io

#endif
