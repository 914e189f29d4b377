// SPDX-License-Identifier: MIT
// Whether two names of files mean the same, so that none is written over by another.

#ifndef SLO_IO_OUTPUT_FILES_HPP
#define SLO_IO_OUTPUT_FILES_HPP

#include <filesystem>
#include <string>
#include <system_error>

namespace slo::io {

/// True for what is in the file system as a thing of its own: no stream, no terminal, not /dev/null.
inline bool is_kept_file(const std::string& path)
{
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    return !path.empty() && path != "-" &&
           (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status));
}

/// True when both name the same kept file, or both the standard stream.
inline bool is_same_file(const std::string& a, const std::string& b)
{
    if (!is_kept_file(a) || !is_kept_file(b))
        return !a.empty() && a == "-" && b == "-";
    std::error_code error;
    if (std::filesystem::equivalent(a, b, error))
        return true;
    const auto place = [&](const std::string& path) {
        return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
    };
    return place(a) == place(b);
}

} // namespace slo::io

#endif
