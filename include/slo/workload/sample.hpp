// SPDX-License-Identifier: MIT
// route-build sample: some of the rows of a route, each as it stands.

#ifndef SLO_WORKLOAD_SAMPLE_HPP
#define SLO_WORKLOAD_SAMPLE_HPP

#include <slo/base/digest.hpp>
#include <slo/base/error.hpp>
#include <slo/base/random.hpp>
#include <slo/io/reread.hpp>
#include <slo/plan/sampling.hpp>
#include <slo/plan/shard_filter.hpp>
#include <slo/workload/build.hpp>
#include <slo/workload/scanned_rows.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace slo::workload {

/// Rows by the hash of their conversation, as replay chooses them, or so many drawn at random, or both. The
/// rows keep their order.
struct SampleOptions {
    static constexpr const char* verb = "sample";
    static constexpr const char* synopsis = "[OPTION]... [FILE]";
    static constexpr const char* summary = "Takes some rows of a route, or some of its conversations.";

    BuildOptions build;
    std::vector<std::string> files{"-"};
    std::array<double, 2> range{0, 1};
    std::string shard = "0/1";
    std::optional<std::uint64_t> rows;
    std::optional<std::uint64_t> conversations;
    std::uint64_t seed = 1;

    template <class Table>
    void describe(Table& table)
    {
        table.section("Sample");
        table.add_pair("range", range, "A B", "conversations whose hash is in [A, B), from 0 to 1");
        table.add("shard", shard, "I/N", "part I, from 0, of N parts of the conversations");
        table.add("rows", rows, "COUNT", "so many of these rows, drawn at random");
        table.add("conversations", conversations, "COUNT", "so many of these conversations, with all rows");
        table.add("seed", seed, "SEED", "seed of what is drawn");
        table.positional(files);
    }

    void run(Build& build) const;
};

namespace detail {

// Draws a given number out of a known number of things that come one by one, any subset as likely as any
// other: selection sampling (Knuth, TAOCP 3.4.2, algorithm S).
class Selection {
public:
    Selection(std::uint64_t wanted, std::uint64_t all, std::uint64_t seed)
        : wanted_(wanted), left_(all), random_(seed)
    {
    }

    bool takes_next()
    {
        const bool takes = random_.uniform() * static_cast<double>(left_) < static_cast<double>(wanted_);
        --left_;
        wanted_ -= takes;
        return takes;
    }

private:
    std::uint64_t wanted_;
    std::uint64_t left_;
    Random random_;
};

// The conversations of a route, by the MD5 of their ids.
class Conversations {
public:
    enum class Choice : std::uint8_t { open, taken, left };

    // What was chosen for a conversation; open for a new one. Throws Error.
    Choice& operator[](std::string_view conv_id)
    {
        const auto digest = md5(conv_id);
        Key key;
        std::memcpy(key.data(), digest.data(), sizeof key);
        return choices_[key];
    }

    std::size_t size() const noexcept { return choices_.size(); }

private:
    using Key = std::array<std::uint64_t, 2>;
    struct Hash {
        std::size_t operator()(const Key& key) const noexcept { return static_cast<std::size_t>(key[0]); }
    };
    std::unordered_map<Key, Choice, Hash> choices_;
};

// The rows in question: those of the range and the shard.
class Sampler {
public:
    explicit Sampler(const SampleOptions& options)
        : range_(options.range[0], options.range[1]), shard_(plan::ShardFilter::parse(options.shard))
    {
    }

    // The next of them, or nullptr. Throws InputError.
    const record::RowScanner* next(ScannedRows& rows) const
    {
        while (const auto* row = rows.next()) {
            if (range_.keeps(row->conv_id()) && shard_.keeps(row->conv_id(), rows.line()))
                return row;
        }
        return nullptr;
    }

private:
    plan::SampleRange range_;
    plan::ShardFilter shard_;
};

// Draws rows, or conversations with all their rows, in two readings of a source.
class Drawing {
public:
    Drawing(const SampleOptions& options, Build& out)
        : options_(options), out_(out), sampler_(options), by_rows_(options.rows.has_value())
    {
    }

    void run(const std::string& path)
    {
        io::RereadSource source(path);
        ScannedRows first(source.first(out_.observer(path)));
        while (const auto* row = sampler_.next(first))
            count(*row);
        report_skipped(out_, first);
        out_.facts()["rows_read"] = first.rows();
        const auto wanted = by_rows_ ? *options_.rows : *options_.conversations;
        const auto all = by_rows_ ? candidates_ : conversations_.size() + loners_;
        if (wanted > all)
            throw InputError(source.name(),
                             "has " + std::to_string(all) +
                                 (by_rows_ ? " such rows, --rows" : " such conversations, --conversations") +
                                 " wants " + std::to_string(wanted));
        out_.facts()[by_rows_ ? "rows_drawn_from" : "conversations_drawn_from"] = all;
        Selection selection(wanted, all, options_.seed);
        ScannedRows second(source.again());
        std::uint64_t rows = 0;
        while (const auto* row = sampler_.next(second)) {
            if (++rows > candidates_)
                break;
            if (takes(*row, selection))
                out_.write(row->line());
        }
        if (rows != candidates_)
            throw source.changed();
    }

private:
    void count(const record::RowScanner& row)
    {
        ++candidates_;
        if (by_rows_)
            return;
        if (row.conv_id().empty())
            ++loners_;
        else
            conversations_[row.conv_id()];
    }

    bool takes(const record::RowScanner& row, Selection& selection)
    {
        if (by_rows_ || row.conv_id().empty())
            return selection.takes_next();
        auto& choice = conversations_[row.conv_id()];
        using Choice = Conversations::Choice;
        if (choice == Choice::open)
            choice = selection.takes_next() ? Choice::taken : Choice::left;
        return choice == Choice::taken;
    }

    const SampleOptions& options_;
    Build& out_;
    Sampler sampler_;
    bool by_rows_;
    std::uint64_t candidates_ = 0;
    std::uint64_t loners_ = 0; // rows without a conversation: each is one of its own
    Conversations conversations_;
};

} // namespace detail

/// Writes the rows; where some are drawn, the route is read twice. Throws UsageError, IoError, InputError.
inline void SampleOptions::run(Build& out) const
{
    const auto& path = only_source(files);
    if (!(0 <= range[0] && range[0] < range[1] && range[1] <= 1))
        throw UsageError("--range", "wants 0 <= A < B <= 1");
    const detail::Sampler sampler(*this);
    if (rows && conversations)
        throw UsageError("--rows", "cannot stand with --conversations");
    if (rows || conversations)
        return detail::Drawing(*this, out).run(path);
    ScannedRows source(out.open(path));
    while (const auto* row = sampler.next(source))
        out.write(row->line());
    report_skipped(out, source);
    out.facts()["rows_read"] = source.rows();
}

} // namespace slo::workload

#endif
