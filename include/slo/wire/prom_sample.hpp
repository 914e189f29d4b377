// SPDX-License-Identifier: MIT
// One sample line of the Prometheus text format or of OpenMetrics.

#ifndef SLO_WIRE_PROM_SAMPLE_HPP
#define SLO_WIRE_PROM_SAMPLE_HPP

#include <slo/wire/prom_number.hpp>
#include <slo/wire/prom_types.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace slo::wire {

namespace detail {

enum class NameClass : unsigned char { other, letter, digit };

// What each byte is in the name of a metric or a label.
inline constexpr std::array<NameClass, 256> name_classes = [] {
    std::array<NameClass, 256> classes{};
    for (std::size_t c = 'a'; c <= 'z'; ++c)
        classes[c] = classes[c - 'a' + 'A'] = NameClass::letter;
    for (std::size_t c = '0'; c <= '9'; ++c)
        classes[c] = NameClass::digit;
    classes['_'] = classes[':'] = NameClass::letter;
    return classes;
}();

} // namespace detail

/// Reads sample lines one by one, looser than the formats in what servers in the wild get wrong: blanks
/// anywhere between the parts, a comma after the last label, no blank after the brace, underscores between
/// digits. Knows quoted names ("{"a.b",l="v"} 1") and exemplars. Keeps its memory from line to line.
class PromSampleReader {
public:
    /// More labels than this make a line malformed.
    static constexpr std::size_t max_labels = 256;

    /// Reads `line`, which has no line end. Null, or a constant that says why the line is no sample; then
    /// sample() is meaningless.
    const char* read(std::string_view line)
    {
        at_ = line.data();
        end_ = at_ + line.size();
        labels_.clear();
        unescaped_.clear();
        sample_ = {};
        has_exemplar_ = false;
        skip_blanks();
        sample_.name = take_name();
        if (!sample_.name.empty() && at_ != end_ && !is_blank(*at_) && *at_ != '{')
            return "bad character in the metric name";
        skip_blanks();
        if (at_ != end_ && *at_ == '{') {
            if (const char* reason = take_labels(labels_, sample_.name))
                return reason;
        }
        if (sample_.name.empty())
            return "no metric name";
        sample_.labels = labels_;
        skip_blanks();
        if (at_ == end_)
            return "no value";
        if (!take_number(sample_.value))
            return "the value is not a number";
        return take_rest();
    }

    /// The sample read last; valid until the next line is read. Its timestamp is in the unit of the text.
    const PromSample& sample() const noexcept { return sample_; }

    bool has_exemplar() const noexcept { return has_exemplar_; }

private:
    static detail::NameClass class_of(char c) noexcept
    {
        return detail::name_classes[static_cast<unsigned char>(c)];
    }
    static bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

    void skip_blanks() noexcept
    {
        while (at_ != end_ && is_blank(*at_))
            ++at_;
    }

    // [A-Za-z_:][A-Za-z0-9_:]*, or nothing.
    std::string_view take_name() noexcept
    {
        const char* const from = at_;
        if (at_ == end_ || class_of(*at_) != detail::NameClass::letter)
            return {};
        while (at_ != end_ && class_of(*at_) != detail::NameClass::other)
            ++at_;
        return {from, static_cast<std::size_t>(at_ - from)};
    }

    // A quoted text, unescaped: \\, \" and \n; a backslash before anything else stands for itself.
    bool take_quoted(std::string_view& text)
    {
        const char* const from = ++at_;
        while (at_ != end_ && *at_ != '"' && *at_ != '\\')
            ++at_;
        if (at_ != end_ && *at_ == '"') {
            text = {from, static_cast<std::size_t>(at_++ - from)};
            return true;
        }
        // Views into the text unescaped so far stay valid: a line never needs more than its own length.
        if (unescaped_.empty())
            unescaped_.reserve(static_cast<std::size_t>(end_ - from));
        const auto start = unescaped_.size();
        unescaped_.append(from, at_);
        for (; at_ != end_ && *at_ != '"'; ++at_) {
            if (*at_ == '\\' && at_ + 1 != end_ && (at_[1] == '\\' || at_[1] == '"' || at_[1] == 'n')) {
                ++at_;
                unescaped_ += *at_ == 'n' ? '\n' : *at_;
            } else {
                unescaped_ += *at_;
            }
        }
        if (at_ == end_)
            return false;
        ++at_;
        text = std::string_view(unescaped_).substr(start);
        return true;
    }

    // From the opening brace to behind the closing one. A quoted text without a value is the metric's name.
    const char* take_labels(std::vector<PromLabel>& labels, std::string_view& metric)
    {
        ++at_;
        for (;;) {
            skip_blanks();
            if (at_ == end_)
                return "the labels have no closing brace";
            if (*at_ == '}') {
                ++at_;
                return has_twice(labels) ? "a label stands twice" : nullptr;
            }
            PromLabel label;
            const bool quoted = *at_ == '"';
            if (quoted && !take_quoted(label.name))
                return "a quoted text does not end";
            if (!quoted)
                label.name = take_name();
            if (label.name.empty())
                return "a label has no name";
            skip_blanks();
            if (quoted && at_ != end_ && (*at_ == ',' || *at_ == '}')) {
                if (!metric.empty())
                    return "a second metric name among the labels";
                metric = label.name;
            } else if (const char* reason = take_value(labels, label)) {
                return reason;
            }
            skip_blanks();
            if (at_ != end_ && *at_ == ',')
                ++at_;
            else if (at_ != end_ && *at_ != '}')
                return "no comma between two labels";
        }
    }

    const char* take_value(std::vector<PromLabel>& labels, PromLabel& label)
    {
        if (at_ == end_ || *at_ != '=')
            return "a label has no value";
        ++at_;
        skip_blanks();
        if (at_ == end_ || *at_ != '"')
            return "a label value is not in quotes";
        if (!take_quoted(label.value))
            return "a quoted text does not end";
        if (labels.size() == max_labels)
            return "more than 256 labels";
        labels.push_back(label);
        return nullptr;
    }

    // Comparing all pairs is the quickest for the few labels that samples have, and too slow for many.
    bool has_twice(const std::vector<PromLabel>& labels)
    {
        constexpr std::size_t few = 12;
        if (labels.size() <= few) {
            for (std::size_t i = 1; i < labels.size(); ++i) {
                for (std::size_t j = 0; j < i; ++j) {
                    if (labels[i].name == labels[j].name)
                        return true;
                }
            }
            return false;
        }
        names_.clear();
        for (const auto& label : labels)
            names_.push_back(label.name);
        std::sort(names_.begin(), names_.end());
        return std::adjacent_find(names_.begin(), names_.end()) != names_.end();
    }

    bool take_number(double& value) noexcept
    {
        const char* const next = parse_prom_number(at_, end_, value);
        if (!next || (next != end_ && !is_blank(*next)))
            return false;
        at_ = next;
        return true;
    }

    // What may follow the value: a timestamp, then an exemplar.
    const char* take_rest()
    {
        skip_blanks();
        if (at_ != end_ && *at_ != '#') {
            double timestamp = 0;
            if (!take_number(timestamp))
                return "the timestamp is not a number";
            sample_.timestamp_s = timestamp;
            skip_blanks();
        }
        if (at_ == end_)
            return nullptr;
        if (*at_ != '#')
            return "text after the value";
        ++at_;
        skip_blanks();
        if (at_ == end_ || *at_ != '{')
            return "text after the value";
        exemplar_labels_.clear();
        std::string_view metric = "-";
        if (const char* reason = take_labels(exemplar_labels_, metric))
            return reason;
        double number = 0;
        skip_blanks();
        if (!take_number(number))
            return "the value of the exemplar is not a number";
        skip_blanks();
        if (at_ != end_ && !take_number(number))
            return "the timestamp of the exemplar is not a number";
        skip_blanks();
        has_exemplar_ = true;
        return at_ == end_ ? nullptr : "text after the exemplar";
    }

    const char* at_ = nullptr;
    const char* end_ = nullptr;
    PromSample sample_;
    bool has_exemplar_ = false;
    std::vector<PromLabel> labels_;
    std::vector<PromLabel> exemplar_labels_;
    std::vector<std::string_view> names_;
    std::string unescaped_;
};

} // namespace slo::wire

#endif
