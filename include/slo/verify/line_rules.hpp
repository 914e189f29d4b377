// SPDX-License-Identifier: MIT
// Rules of the file itself: what separates its lines, and that each is a row.

#ifndef SLO_VERIFY_LINE_RULES_HPP
#define SLO_VERIFY_LINE_RULES_HPP

#include <slo/verify/rule.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace slo::verify {

/// Each line is a well-formed row: JSON, or a line of an old log, with a time, a body and a prompt.
class SchemaRule : public Rule {
public:
    void look(const Row&) override { ++rows_; }

    /// Takes a malformed line.
    void bad_line(std::size_t line, const std::string& reason) { report_.findings.add(line, reason); }
    /// Takes a log line that logs no request.
    void other_log_line() { ++other_log_lines_; }

    RuleReport report() override
    {
        report_.expected = "each line a row";
        report_.seen = counted(rows_, "row") + ", " + counted(report_.findings.count(), "malformed line");
        report_.figures["malformed"] = report_.findings.count();
        if (other_log_lines_ > 0)
            report_.figures["other_log_lines"] = other_log_lines_;
        return std::move(report_);
    }

private:
    std::uint64_t rows_ = 0;
    std::uint64_t other_log_lines_ = 0;
    RuleReport report_;
};

/// Nothing but LF looks like the end of a line. Our readers take CRLF, blank lines, a byte order mark and a
/// missing last LF, and keep U+2028, U+2029 and U+0085 within their line; others do not: with `strict` each
/// is a finding, else it is counted.
class LinesRule : public Rule {
public:
    explicit LinesRule(bool strict) : strict_(strict) {}

    /// Takes the bytes of the file in order, in any portions.
    void bytes(std::string_view block)
    {
        if (block.empty())
            return;
        if (start_.size() < byte_order_mark.size())
            start_ += block.substr(0, byte_order_mark.size() - start_.size());
        if (last_byte_ == '\r' && block.front() == '\n')
            add_crlf(0, block);
        for (auto at = block.find('\r'); at != std::string_view::npos; at = block.find('\r', at + 1)) {
            if (at + 1 < block.size() && block[at + 1] == '\n')
                add_crlf(at, block);
        }
        if (first_crlf_line_ == 0)
            line_ends_ += count_line_ends(block);
        last_byte_ = block.back();
    }

    /// Takes each line without its end, blank ones too.
    void line(std::size_t number, std::string_view text)
    {
        if (is_blank(text)) {
            ++blank_;
            add(number, "blank");
        } else if (has_separator(text)) {
            ++separators_;
            add(number, "a separator of lines or paragraphs in a text");
        }
    }

    /// True for a line without anything but ASCII white space.
    static bool is_blank(std::string_view text) noexcept
    {
        return text.empty() || (text.front() <= ' ' && trim(text).empty());
    }

    void look(const Row&) override {}

    RuleReport report() override
    {
        const bool has_mark = start_ == byte_order_mark;
        const bool is_cut = last_byte_ != '\n' && !start_.empty();
        if (has_mark)
            add(1, "a byte order mark");
        if (crlf_ > 0)
            add(first_crlf_line_, counted(crlf_, "line") + " ended by CRLF, this first");
        if (is_cut)
            add(0, "the last line has no end");
        report_.expected = strict_ ? "LF after each line, and nothing that looks like an end of line"
                                   : "only LF ends a line";
        report_.seen = counted(crlf_, "CRLF") + ", " + counted(blank_, "blank line") + ", " +
                       counted(separators_, "line") + " with other separators" +
                       (has_mark ? ", a byte order mark" : "") + (is_cut ? ", no LF at the end" : "");
        return std::move(report_);
    }

private:
    static constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

    // U+2028, U+2029 or U+0085.
    static bool has_separator(std::string_view text) noexcept
    {
        for (auto at = text.find('\xE2'); at != std::string_view::npos; at = text.find('\xE2', at + 1)) {
            const auto rest = text.substr(at + 1, 2);
            if (rest == "\x80\xA8" || rest == "\x80\xA9")
                return true;
        }
        for (auto at = text.find('\xC2'); at != std::string_view::npos; at = text.find('\xC2', at + 1)) {
            if (text.substr(at + 1, 1) == "\x85")
                return true;
        }
        return false;
    }

    // By the C library's search: a loop over bytes would take longer than all other rules together.
    static std::size_t count_line_ends(std::string_view text) noexcept
    {
        std::size_t count = 0;
        for (auto at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
            ++count;
        return count;
    }

    void add(std::size_t line, const std::string& reason)
    {
        if (strict_)
            report_.findings.add(line, reason);
    }

    // `at` is the byte before the LF, or the LF at the start of the block.
    void add_crlf(std::size_t at, std::string_view block)
    {
        if (crlf_++ == 0)
            first_crlf_line_ = line_ends_ + 1 + count_line_ends(block.substr(0, at));
    }

    bool strict_;
    std::string start_;
    char last_byte_ = '\n';
    std::size_t line_ends_ = 0; // before the block, as long as no CRLF was seen
    std::size_t first_crlf_line_ = 0;
    std::uint64_t crlf_ = 0;
    std::uint64_t blank_ = 0;
    std::uint64_t separators_ = 0;
    RuleReport report_;
};

} // namespace slo::verify

#endif
