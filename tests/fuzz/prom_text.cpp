// SPDX-License-Identifier: MIT
// Any text gives samples that make sense and an account of the rest; what is read, written anew, reads the
// same; a file of scrapes comes apart into scrapes that sort and merge.

#include <slo/record/snapshot_file.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace slo;

void require(bool holds)
{
    if (!holds)
        std::abort();
}

std::string quoted(std::string_view text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '\\' || c == '"')
            out += '\\';
        if (c == '\n')
            out += "\\n";
        else
            out += c;
    }
    return out + '"';
}

// Writes each sample as a line in one canonical form.
struct Writer {
    std::string text;
    std::size_t samples = 0;

    void sample(const wire::PromSample& sample)
    {
        ++samples;
        require(!sample.name.empty() && sample.labels.size() <= wire::PromSampleReader::max_labels);
        text += '{' + quoted(sample.name);
        for (const auto& label : sample.labels) {
            require(!label.name.empty() && is_utf8(label.name) && is_utf8(label.value));
            text += ',' + quoted(label.name) + '=' + quoted(label.value);
        }
        text += "} " + format_double(sample.value);
        if (sample.timestamp_s)
            text += ' ' + format_double(*sample.timestamp_s);
        text += '\n';
    }
    void type(std::string_view name, wire::PromType) { require(!name.empty()); }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    Writer once;
    const auto report = wire::parse_prom(text, once);
    require(report.samples == once.samples);
    require((report.malformed_lines > 0) == !report.first_reason.empty());
    require((report.malformed_lines > 0) == (report.first_malformed_line > 0));
    require(report.exemplars <= report.samples);

    // With the mark of OpenMetrics the timestamps are seconds, as they were written. A carriage return at the
    // end of a name would be taken for that of the line, but a quote always follows it.
    Writer twice;
    const auto again = wire::parse_prom(once.text + "# EOF\n", twice);
    require(again.malformed_lines == 0 && again.saw_eof && once.text == twice.text);

    const auto snapshots = record::parse_snapshots(text, "file");
    require(!snapshots.empty());
    for (const auto& snapshot : snapshots) {
        require(snapshot.series.size() + snapshot.duplicates == snapshot.report.samples);
        for (std::size_t i = 1; i < snapshot.series.size(); ++i) {
            const auto& a = snapshot.series[i - 1];
            const auto& b = snapshot.series[i];
            require(std::tie(a.name, a.labels) < std::tie(b.name, b.labels));
        }
    }
    std::size_t series = 0;
    for (const auto& snapshot : snapshots)
        series += snapshot.series.size() + snapshot.duplicates;
    const auto merged = record::merge_snapshots(snapshots);
    require(merged.series.size() + merged.duplicates == series);
    return 0;
}
