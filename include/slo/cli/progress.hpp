// SPDX-License-Identifier: MIT
// Progress on stderr: a bar on a terminal, plain lines at an interval elsewhere, or nothing.

#ifndef SLO_CLI_PROGRESS_HPP
#define SLO_CLI_PROGRESS_HPP

#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/text.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

namespace slo::cli {

/// Shows how far a run is. Never touches stdout.
class Progress {
public:
    enum class Mode { none, bar, plain };

    /// `choice` is the value of --progress: auto (a bar on a terminal, else nothing), bar, plain or none;
    /// plain lines come at most every `interval_s` seconds. Throws UsageError.
    Progress(std::string tool, const std::string& choice, bool quiet, double interval_s = 10)
        : tool_(std::move(tool)), mode_(quiet ? Mode::none : mode_of(choice)),
          interval_ns_(to_ns(mode_ == Mode::bar ? 0.1 : interval_s)), start_ns_(monotonic_ns())
    {
    }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress() { clear(); }

    Mode mode() const noexcept { return mode_; }

    /// True when an update would be shown now; lets a caller skip building the text.
    bool due() const noexcept { return mode_ != Mode::none && monotonic_ns() - last_ns_ >= interval_ns_; }

    /// Shows `fraction` done (0…1; negative: unknown) and `text`, if the interval has passed.
    void update(double fraction, const std::string& text)
    {
        if (!due())
            return;
        last_ns_ = monotonic_ns();
        const auto line = describe(fraction, text);
        if (mode_ == Mode::bar) {
            std::fprintf(stderr, "\r%s\033[K", line.c_str());
            std::fflush(stderr);
            drawn_ = true;
        } else {
            std::fprintf(stderr, "%s: %s\n", tool_.c_str(), line.c_str());
        }
    }

    /// Removes the bar, so that a line of text can be written in its place.
    void clear()
    {
        if (std::exchange(drawn_, false))
            std::fprintf(stderr, "\r\033[K");
    }

    /// A duration for people: "42 s", "3 min 05 s", "2 h 10 min".
    static std::string duration_text(double seconds)
    {
        const auto total = static_cast<std::int64_t>(std::max(0.0, seconds) + 0.5);
        const auto two = [](std::int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
        if (total < 60)
            return std::to_string(total) + " s";
        if (total < 3600)
            return std::to_string(total / 60) + " min " + two(total % 60) + " s";
        return std::to_string(total / 3600) + " h " + two(total / 60 % 60) + " min";
    }

private:
    static Mode mode_of(const std::string& choice)
    {
        if (choice == "auto")
            return ::isatty(STDERR_FILENO) == 1 ? Mode::bar : Mode::none;
        if (choice == "bar")
            return Mode::bar;
        if (choice == "plain")
            return Mode::plain;
        if (choice == "none")
            return Mode::none;
        throw UsageError("--progress", "'" + printable(choice, 40) + "' is none of auto, bar, plain, none");
    }

    std::string describe(double fraction, const std::string& text) const
    {
        if (fraction < 0)
            return text;
        fraction = std::min(fraction, 1.0);
        std::string line;
        if (mode_ == Mode::bar) {
            constexpr std::size_t width = 24;
            const auto full = static_cast<std::size_t>(fraction * width);
            line = "[" + std::string(full, '#') + std::string(width - full, '.') + "] ";
        }
        line += format_fixed(100 * fraction, 0) + " %  " + text;
        const double elapsed_s = to_seconds(monotonic_ns() - start_ns_);
        if (fraction > 0 && fraction < 1)
            line += "  ETA " + duration_text(elapsed_s * (1 - fraction) / fraction);
        return line;
    }

    std::string tool_;
    Mode mode_;
    std::int64_t interval_ns_;
    std::int64_t start_ns_;
    std::int64_t last_ns_ = 0;
    bool drawn_ = false;
};

} // namespace slo::cli

#endif
