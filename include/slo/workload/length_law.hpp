// SPDX-License-Identifier: MIT
// The law by which lengths, counts and times of a made-up load are drawn.

#ifndef SLO_WORKLOAD_LENGTH_LAW_HPP
#define SLO_WORKLOAD_LENGTH_LAW_HPP

#include <slo/base/error.hpp>
#include <slo/base/random.hpp>
#include <slo/base/text.hpp>
#include <slo/io/jsonl.hpp>
#include <slo/wire/csv.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::workload {

/// What a law may draw.
struct LawLimits {
    double least = 1;
    double greatest = 1e7;
    bool whole = true; ///< whole numbers only
};

/// Tokens, turns.
inline constexpr LawLimits length_limits{};
/// Seconds.
inline constexpr LawLimits time_limits{0, 1e7, false};

/// Opens a file that a law names.
using OpenLines = std::function<io::LineReader(const std::string&)>;

/// A law as an option says it:
///   512, constant:512       always the same
///   uniform:A:B             each from A to B alike
///   normal:MEAN:SD[:MIN:MAX]           values outside MIN and MAX are drawn again
///   lognormal:MEDIAN:SIGMA[:MIN:MAX]   SIGMA is the standard deviation of the logarithm
///   exponential:MEAN[:MIN:MAX]
///   zipf:S:MAX              k from 1 to MAX as often as k^-S says
///   file:FILE[#COLUMN]      the numbers of a file or of a column of a CSV file, each as often as it is there
class LengthLaw {
public:
    /// `option` names it in errors. Throws UsageError, and what reading the file throws.
    static LengthLaw parse(const std::string& option, const std::string& text, const OpenLines& open,
                           const LawLimits& limits = length_limits)
    {
        LengthLaw law;
        law.limits_ = limits;
        law.min_ = limits.least;
        law.max_ = limits.greatest;
        const auto colon = text.find(':');
        const auto name = text.substr(0, colon);
        const auto rest = colon == std::string::npos ? std::string() : text.substr(colon + 1);
        try {
            if (colon == std::string::npos)
                law.set(Kind::constant, {text}, 1);
            else if (name == "constant")
                law.set(Kind::constant, split(rest), 1);
            else if (name == "uniform")
                law.set(Kind::uniform, split(rest), 2);
            else if (name == "normal")
                law.set(Kind::normal, split(rest), 2, 2);
            else if (name == "lognormal")
                law.set(Kind::lognormal, split(rest), 2, 2);
            else if (name == "exponential")
                law.set(Kind::exponential, split(rest), 1, 2);
            else if (name == "zipf")
                law.set(Kind::zipf, split(rest), 2);
            else if (name == "file")
                law.read(rest, open);
            else
                throw UsageError("a law is N, uniform:A:B, normal:MEAN:SD, lognormal:MEDIAN:SIGMA, "
                                 "exponential:MEAN, zipf:S:MAX or file:FILE");
        } catch (const UsageError& error) {
            throw UsageError(option, "'" + printable(text, 80) + "': " + error.what());
        }
        return law;
    }

    /// Ranks from 1 to `ranks`, k as often as k^-exponent says. `option` names the exponent in errors. Throws
    /// UsageError.
    static LengthLaw zipf(const std::string& option, double exponent, std::int64_t ranks)
    {
        return parse(option, "zipf:" + format_double(exponent) + ":" + std::to_string(ranks), {});
    }

    /// The next number; as many random numbers are used for each as it needs.
    double draw_real(Random& random) const
    {
        switch (kind_) {
        case Kind::constant:
            return a_;
        case Kind::uniform:
            return limits_.whole ? std::min(b_, std::floor(a_ + random.uniform() * (b_ - a_ + 1)))
                                 : a_ + random.uniform() * (b_ - a_);
        case Kind::normal:
            return within([&] { return random.normal(a_, b_); });
        case Kind::lognormal:
            return within([&] { return random.lognormal(std::log(a_), b_); });
        case Kind::exponential:
            return within([&] { return random.exponential(a_); });
        case Kind::zipf:
            return static_cast<double>(zipf_rank(random));
        case Kind::values:
            return values_[std::min(
                values_.size() - 1,
                static_cast<std::size_t>(random.uniform() * static_cast<double>(values_.size())))];
        }
        return a_;
    }

    /// The next whole number.
    std::int64_t draw(Random& random) const { return std::llround(draw_real(random)); }

    /// The same with a range around a constant, as vLLM's benchmarks take it: each length from
    /// floor(N · (1 - ratio)) to ceil(N · (1 + ratio)) alike, but 1 at least. `ratio` from 0 to below 1.
    /// Throws UsageError where the law is no constant.
    LengthLaw with_range(double ratio) const
    {
        if (ratio == 0)
            return *this;
        if (!(ratio > 0 && ratio < 1))
            throw UsageError("--range-ratio", "must be from 0 to below 1");
        if (kind_ != Kind::constant)
            throw UsageError("--range-ratio", "goes with lengths that are one number each");
        auto law = *this;
        law.kind_ = Kind::uniform;
        law.a_ = std::max(limits_.least, std::floor(a_ * (1 - ratio)));
        law.b_ = std::ceil(a_ * (1 + ratio));
        return law;
    }

private:
    enum class Kind { constant, uniform, normal, lognormal, exponential, zipf, values };
    static constexpr std::size_t most_values = 10'000'000;

    static std::vector<std::string> split(std::string_view text)
    {
        std::vector<std::string> parts;
        for (;;) {
            const auto end = text.find(':');
            parts.emplace_back(trim(text.substr(0, end)));
            if (end == std::string_view::npos)
                return parts;
            text.remove_prefix(end + 1);
        }
    }

    double allowed(double value) const
    {
        if (!(value >= limits_.least && value <= limits_.greatest))
            throw UsageError("numbers must be from " + format_fixed(limits_.least, 0) + " to " +
                             format_fixed(limits_.greatest, 0));
        if (limits_.whole && value != std::floor(value))
            throw UsageError("numbers must be whole");
        return value;
    }

    void set(Kind kind, const std::vector<std::string>& parts, std::size_t needed, std::size_t more = 0)
    {
        std::vector<double> numbers;
        for (const auto& part : parts) {
            const auto number = parse_double(part);
            if (!number)
                throw UsageError("'" + printable(part, 40) + "' is not a number");
            numbers.push_back(*number);
        }
        if (numbers.size() != needed && numbers.size() != needed + more)
            throw UsageError("takes " + std::to_string(needed) +
                             (more > 0 ? " or " + std::to_string(needed + more) : "") + " numbers");
        kind_ = kind;
        a_ = numbers[0];
        b_ = numbers.size() > 1 ? numbers[1] : 0;
        if (numbers.size() > needed) {
            min_ = allowed(numbers[needed]);
            max_ = allowed(numbers[needed + 1]);
        }
        check();
        if (kind == Kind::zipf)
            tabulate_zipf();
    }

    void check() const
    {
        if (kind_ == Kind::constant || kind_ == Kind::uniform)
            allowed(a_);
        if (kind_ == Kind::uniform && allowed(b_) < a_)
            throw UsageError("the second number is below the first");
        if (kind_ == Kind::zipf && !(a_ >= 0 && a_ <= 20))
            throw UsageError("the exponent must be from 0 to 20");
        if (kind_ == Kind::zipf && (allowed(b_) > 1e6 || b_ < 1))
            throw UsageError("the greatest number must be from 1 to 1000000");
        if (kind_ == Kind::normal || kind_ == Kind::lognormal || kind_ == Kind::exponential) {
            if (min_ > max_)
                throw UsageError("MAX is below MIN");
            if (!(a_ >= min_ && a_ <= max_ && a_ > 0))
                throw UsageError("the middle must be above 0 and within MIN and MAX");
        }
        if ((kind_ == Kind::normal || kind_ == Kind::lognormal) && !(b_ >= 0 && b_ <= 1e7))
            throw UsageError("the spread must not be negative");
    }

    void tabulate_zipf()
    {
        double sum = 0;
        for (double k = 1; k <= b_; ++k)
            values_.push_back(sum += std::pow(k, -a_));
    }

    std::int64_t zipf_rank(Random& random) const
    {
        const auto found =
            std::upper_bound(values_.begin(), values_.end(), random.uniform() * values_.back());
        return std::min<std::int64_t>(found - values_.begin(),
                                      static_cast<std::int64_t>(values_.size()) - 1) +
               1;
    }

    // Drawn again until it is within the bounds; where these are far out, the nearer bound ends it.
    template <class Draw>
    double within(Draw&& draw) const
    {
        double value = 0;
        for (int tries = 0; tries < 1000; ++tries) {
            value = draw();
            value = limits_.whole ? std::round(value) : value;
            if (value >= min_ && value <= max_)
                return value;
        }
        return std::clamp(value, min_, max_);
    }

    void read(const std::string& what, const OpenLines& open)
    {
        const auto mark = what.rfind('#');
        const auto path = what.substr(0, mark);
        const auto column_name = mark == std::string::npos ? std::string() : what.substr(mark + 1);
        auto lines = open(path);
        std::size_t column = 0;
        bool first = true;
        using State = wire::CsvRecord::State;
        wire::CsvRecord row;
        auto state = State::complete;
        while (const auto line = lines.next()) {
            if (state != State::open && trim(*line).empty())
                continue;
            state = row.take(*line);
            if (state == State::open)
                continue;
            if (row.fault())
                throw lines.error(row.fault());
            if (std::exchange(first, false) && (!column_name.empty() || !parse_double(trim(row[0])))) {
                column = column_of(row, column_name, lines);
                continue;
            }
            const auto number = column < row.size() ? parse_double(trim(row[column])) : std::nullopt;
            if (!number || *number < limits_.least || *number > limits_.greatest ||
                (limits_.whole && *number != std::floor(*number)))
                throw lines.error("not a number that the law may give");
            if (values_.size() == most_values)
                throw lines.error("more than 10000000 numbers");
            values_.push_back(*number);
        }
        if (state == State::open)
            throw lines.error("the file ends inside of a field in quotes");
        if (values_.empty())
            throw InputError(lines.name(), "holds no numbers");
        kind_ = Kind::values;
    }

    static std::size_t column_of(const wire::CsvRecord& header, const std::string& name,
                                 const io::LineReader& lines)
    {
        if (name.empty())
            return 0;
        for (std::size_t column = 0; column < header.size(); ++column)
            if (trim(header[column]) == name)
                return column;
        throw lines.error("has no column '" + printable(name, 40) + "'");
    }

    Kind kind_ = Kind::constant;
    LawLimits limits_;
    double a_ = 1;
    double b_ = 0;
    double min_ = 1;
    double max_ = 1;
    std::vector<double> values_; // zipf: cumulated weights
};

} // namespace slo::workload

#endif
