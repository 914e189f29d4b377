// SPDX-License-Identifier: MIT
// Whether names of files mean the same, so that none is written over by another; whether they can be written.

#ifndef SLO_IO_OUTPUT_FILES_HPP
#define SLO_IO_OUTPUT_FILES_HPP

#include <slo/base/error.hpp>

#include <unistd.h>

#include <cerrno>
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

/// Refuses a file that cannot be appended to before anything is done for it, and does not make it. Nothing
/// for
/// "-" and an empty path. Throws IoError.
inline void check_appendable(const std::string& path)
{
    if (path.empty() || path == "-" || ::access(path.c_str(), W_OK) == 0)
        return;
    if (errno != ENOENT)
        throw IoError(path, errno);
    const auto folder = std::filesystem::path(path).parent_path();
    if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0)
        throw IoError(path, errno);
}

} // namespace slo::io

#endif
