// SPDX-License-Identifier: MIT
// Where an artifact goes, and what makes it the only one of its kind.

#ifndef SLO_ARTIFACT_ENVELOPE_OUTPUT_HPP
#define SLO_ARTIFACT_ENVELOPE_OUTPUT_HPP

#include <slo/artifact/envelope_options.hpp>
#include <slo/artifact/file_name.hpp>
#include <slo/base/clock.hpp>
#include <slo/base/error.hpp>
#include <slo/base/json.hpp>
#include <slo/base/text.hpp>
#include <slo/io/atomic_file.hpp>
#include <slo/io/output_files.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <system_error>

namespace slo::artifact {

/// When an artifact was made, and what its id is made of.
struct Stamp {
    double created_s = 0;      ///< since 1970
    std::string random_digits; ///< 32 hexadecimal ones; empty: the id is made of the content
};

/// The wall clock and the system's random numbers; with SOURCE_DATE_EPOCH in the environment that time, and
/// an id of the content, so that the same files give the same bytes. Throws UsageError for one that is no
/// time.
inline Stamp stamp_of_environment()
{
    if (const char* epoch = std::getenv("SOURCE_DATE_EPOCH"); epoch && *epoch != '\0') {
        const auto seconds = parse_integer<std::int64_t>(epoch);
        if (!seconds || *seconds < 0 || *seconds > 253'402'300'799) // the year 9999
            throw UsageError("SOURCE_DATE_EPOCH", "is no number of seconds since 1970");
        return {static_cast<double>(*seconds), ""};
    }
    std::random_device device;
    std::string digits;
    for (int i = 0; i < 32; ++i)
        digits += "0123456789abcdef"[device() & 15U];
    return {wall_clock_s(), digits};
}

/// The file of an artifact: as `options` say, "-" for stdout; in a folder (DIR/, or one that is there) its
/// name is made of its content and the folder is made. Throws UsageError for a file that is there, unless
/// --force, and IoError.
inline std::string place_of(const json::object& envelope, const EnvelopeOptions& options)
{
    auto path = options.output;
    std::error_code error;
    if (path.ends_with('/') || std::filesystem::is_directory(path, error)) {
        std::filesystem::create_directories(path, error);
        if (error)
            throw IoError(path, error.value());
        path += (path.ends_with('/') ? "" : "/") + file_name(envelope);
    }
    if (!options.force && path != "-" && std::filesystem::is_regular_file(path, error))
        throw Error(path, "is there already; --force writes over it");
    if (path != "-")
        for (const auto& input : options.inputs())
            if (io::is_same_file(input, path))
                throw Error(path, "is one of the files that the artifact is made of");
    return path;
}

/// Writes the artifact whole or not at all, one line. Throws IoError, ClosedPipe.
inline void write_artifact(const json::object& envelope, const std::string& path)
{
    io::AtomicFile file(path);
    file.write(to_json(envelope) + "\n");
    file.commit();
}

} // namespace slo::artifact

#endif
