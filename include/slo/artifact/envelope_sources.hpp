// SPDX-License-Identifier: MIT
// The files that an artifact is made of, with their digests, and those that were not given.

#ifndef SLO_ARTIFACT_ENVELOPE_SOURCES_HPP
#define SLO_ARTIFACT_ENVELOPE_SOURCES_HPP

#include <slo/base/digest.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/io/fd.hpp>
#include <slo/io/jsonl.hpp>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace slo::artifact {

/// Reads the sources of an artifact and keeps account of them: each possible source is listed, as read or as
/// absent.
class Sources {
public:
    static constexpr std::size_t most_text_bytes = std::size_t{16} << 20;
    static constexpr std::size_t most_record_bytes = std::size_t{256} << 20;

    /// Hands the records of a JSON Lines file to `take`, in order. What `take` throws as InputError gets file
    /// and line. A last line that is cut off, as a killed writer leaves it, is left out, with a note. Throws
    /// IoError and InputError.
    template <class Take>
    void read_records(const std::string& name, const std::string& path, Take take)
    {
        io::LineReader lines(path);
        Sha256 digest;
        lines.observe({{}, [&](std::string_view bytes) { digest.update(bytes); }});
        std::size_t records = 0;
        std::optional<std::string> torn; // why the line before could not be read
        while (const auto line = lines.next()) {
            if (torn)
                throw InputError(*torn);
            if (trim(*line).empty())
                continue;
            ++records;
            try {
                const auto value = parse_json(*line);
                if (!value.is_object())
                    throw lines.error("not a JSON object");
                take(value.get_object());
            } catch (const JsonError& error) {
                torn = lines.error(error.what()).what();
            } catch (const InputError& error) {
                const std::string reason = error.what();
                throw reason.starts_with(lines.name() + ":") ? error : lines.error(reason);
            }
        }
        if (torn)
            notes_.push_back(*torn + ": the last line, cut off, is left out");
        present(name, path, digest.finish(), records);
    }

    /// The one JSON object in a file, on one line or on many. Throws IoError and InputError.
    json::object read_object(const std::string& name, const std::string& path)
    {
        const auto text = io::read_all(path, most_record_bytes);
        present(name, path, sha256(text), 1);
        try {
            auto value = parse_json(text);
            if (!value.is_object())
                throw JsonError("not a JSON object");
            return std::move(value.get_object());
        } catch (const JsonError& error) {
            throw InputError(io::display_name(path), error.what());
        }
    }

    /// The text of a file that people write. Throws IoError and InputError.
    std::string read_text(const std::string& name, const std::string& path)
    {
        auto text = io::read_all(path, most_text_bytes);
        present(name, path, sha256(text), std::nullopt);
        return text;
    }

    /// Lists files that others read. A digest only of what can be read twice. Throws IoError.
    void list(const std::string& name, const std::vector<std::string>& paths)
    {
        for (const auto& path : paths) {
            std::error_code error;
            std::optional<std::string> digest;
            if (std::filesystem::is_regular_file(path, error)) {
                const auto fd = io::open_input(path);
                Sha256 sum;
                char block[65536];
                while (const auto got = io::read_some(fd, block, sizeof block, path))
                    sum.update({block, got});
                digest = sum.finish();
            }
            present(name, path, digest, std::nullopt);
        }
    }

    /// A source that is not there, and why.
    void absent(const std::string& name, const std::string& reason)
    {
        list_.push_back(json::object{{"name", name}, {"absent", reason}});
    }

    /// The list of an artifact, in the order of reading.
    const json::array& to_json_array() const noexcept { return list_; }

    std::vector<std::string>& notes() noexcept { return notes_; }

private:
    void present(const std::string& name, const std::string& path, const std::optional<std::string>& digest,
                 std::optional<std::size_t> records)
    {
        json::object source{{"name", name}, {"file", json_text(printable(io::display_name(path), 4096))}};
        source["sha256"] = digest ? json::value(*digest) : json::value(nullptr);
        if (records)
            source["records"] = *records;
        list_.push_back(std::move(source));
    }

    json::array list_;
    std::vector<std::string> notes_;
};

} // namespace slo::artifact

#endif
