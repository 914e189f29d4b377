// SPDX-License-Identifier: MIT
// route-build shuffle: the rows of a route in another order.

#ifndef SLO_WORKLOAD_SHUFFLE_HPP
#define SLO_WORKLOAD_SHUFFLE_HPP

#include <slo/base/error.hpp>
#include <slo/base/python_random.hpp>
#include <slo/io/reread.hpp>
#include <slo/record/timestamp.hpp>
#include <slo/workload/build.hpp>
#include <slo/workload/exact_time.hpp>
#include <slo/workload/scanned_rows.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slo::workload {

/// The order that Python's random.Random(seed).shuffle() gives the rows. By default the turns of a
/// conversation then change places among themselves until they follow each other as before, and the times
/// stay where they were: the i-th row gets the i-th time. Keeps some 50 bytes a row and 100 a conversation in
/// memory.
struct ShuffleOptions {
    static constexpr const char* verb = "shuffle";
    static constexpr const char* synopsis = "[OPTION]... [FILE]";
    static constexpr const char* summary = "Changes the order of the rows, as Python's random.shuffle does.";

    BuildOptions build;
    std::vector<std::string> files{"-"};
    std::int64_t seed = 1;
    bool keep_turns = true;
    bool keep_times = true;

    template <class Table>
    void describe(Table& table)
    {
        table.section("Order");
        table.add("seed", seed, "SEED", "seed of the order, an integer as Python takes it");
        table.toggle("keep-turns", keep_turns, "rows of one conversation keep their order");
        table.toggle("keep-times", keep_times,
                     "the times keep theirs: the i-th row gets the i-th time; else each row keeps its own");
        table.positional(files);
    }

    void run(Build& build) const;
};

/// Puts the rows of each group into its places in their own order: `order[place]` is the number of a row,
/// `group_of[row]` that of its group, from 0 to below `groups`.
inline void keep_order_in_groups(std::vector<std::uint32_t>& order,
                                 const std::vector<std::uint32_t>& group_of, std::size_t groups)
{
    // The rows of all groups, one group after the other.
    std::vector<std::uint32_t> next(groups + 1);
    for (const auto group : group_of)
        ++next[group + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<std::uint32_t> rows(group_of.size());
    for (std::uint32_t row = 0; row < group_of.size(); ++row)
        rows[next[group_of[row]]++] = row;
    // Each group's end is now the next one's begin.
    for (auto place = order.size(); place-- > 0;)
        order[place] = rows[--next[group_of[order[place]]]];
}

namespace detail {

// Where the rows of a route stand, and what their new order depends on.
class RowTable {
public:
    RowTable(const ShuffleOptions& options, io::RereadSource& source) : options_(options), source_(source) {}

    // Throws InputError.
    void read(io::LineReader lines, Build& out)
    {
        ScannedRows rows(std::move(lines), options_.keep_times ? Kinds::one : Kinds::any);
        while (const auto* row = rows.next()) {
            if (rows_.size() == std::numeric_limits<std::uint32_t>::max())
                throw rows.error("more than 2^32 - 1 rows");
            const auto number = static_cast<std::uint32_t>(rows_.size());
            rows_.push_back({rows.offset(), row->ts(), static_cast<std::uint32_t>(row->line().size()), 0});
            if (options_.keep_turns)
                conversations_.push_back({conversation(*row), number});
        }
        report_skipped(out, rows);
        if (rows_.empty())
            throw InputError(source_.name(), "holds no row");
        number_groups();
    }

    // Puts the rows in the order in which replay sends them; false when they were.
    bool sort_by_time()
    {
        const auto is_before = [](const Row& a, const Row& b) { return a.ts < b.ts; };
        if (std::is_sorted(rows_.begin(), rows_.end(), is_before))
            return false;
        std::stable_sort(rows_.begin(), rows_.end(), is_before);
        return true;
    }

    // Which row comes in which place.
    std::vector<std::uint32_t> order() const
    {
        std::vector<std::uint32_t> order(rows_.size());
        std::iota(order.begin(), order.end(), 0U);
        PythonRandom(options_.seed).shuffle(order);
        if (options_.keep_turns) {
            std::vector<std::uint32_t> group_of;
            group_of.reserve(rows_.size());
            for (const auto& row : rows_)
                group_of.push_back(row.group);
            keep_order_in_groups(order, group_of, groups_);
        }
        return order;
    }

    // The row `number` with the time of the row `place`; valid until the next call. Throws InputError.
    std::string_view text(std::uint32_t number, std::uint32_t place)
    {
        read_.resize(rows_[number].bytes);
        source_.read_at(rows_[number].offset, read_);
        if (!options_.keep_times)
            return read_;
        try {
            if (!scanner_.scan(read_) || scanner_.ts() != rows_[number].ts)
                throw source_.changed();
        } catch (const record::RowError&) {
            throw source_.changed();
        } catch (const JsonError&) {
            throw source_.changed();
        }
        changed_.clear();
        append_changed(changed_, scanner_, to_text(exact(rows_[place].ts)));
        return changed_;
    }

    std::uint32_t groups() const noexcept { return groups_; }

private:
    struct Row {
        std::uint64_t offset;
        record::Timestamp ts;
        std::uint32_t bytes;
        std::uint32_t group;
    };

    struct Turn {
        std::uint64_t conversation;
        std::uint32_t row;
    };

    // 64 bits that stand for the conversation (FNV-1a); a row without one has one of its own. Two that share
    // them would only keep their order to each other, too.
    std::uint64_t conversation(const record::RowScanner& row) const
    {
        std::uint64_t hash = 14695981039346656037U;
        const auto mix = [&hash](unsigned char byte) { hash = (hash ^ byte) * 1099511628211U; };
        for (const char c : row.conv_id())
            mix(static_cast<unsigned char>(c));
        if (row.conv_id().empty()) {
            for (auto number = rows_.size(); number > 0; number >>= 8)
                mix(static_cast<unsigned char>(number));
        }
        return hash;
    }

    void number_groups()
    {
        std::sort(conversations_.begin(), conversations_.end(),
                  [](const Turn& a, const Turn& b) { return a.conversation < b.conversation; });
        for (std::size_t i = 0; i < conversations_.size(); ++i) {
            groups_ += i == 0 || conversations_[i].conversation != conversations_[i - 1].conversation;
            rows_[conversations_[i].row].group = groups_ - 1;
        }
        conversations_ = {};
    }

    const ShuffleOptions& options_;
    io::RereadSource& source_;
    std::deque<Row> rows_;
    std::vector<Turn> conversations_; // until the groups have numbers
    std::uint32_t groups_ = 0;
    std::string read_;
    record::RowScanner scanner_;
    std::string changed_;
};

} // namespace detail

/// Writes all rows, each read once more from its place. Throws UsageError, IoError, InputError.
inline void ShuffleOptions::run(Build& out) const
{
    const auto& path = only_source(files);
    io::RereadSource source(path);
    detail::RowTable table(*this, source);
    table.read(source.first(out.observer(path)), out);
    if (keep_times && table.sort_by_time())
        out.note("the rows were not in the order of their times; that order is what was shuffled");
    if (keep_turns)
        out.facts()["conversations"] = table.groups();
    const auto order = table.order();
    for (std::uint32_t place = 0; place < order.size(); ++place)
        out.write(table.text(order[place], place));
}

} // namespace slo::workload

#endif
