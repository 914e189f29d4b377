// SPDX-License-Identifier: MIT
// A folder for one test, gone afterwards.

#ifndef SLO_TESTS_SUPPORT_SCRATCH_FOLDER_HPP
#define SLO_TESTS_SUPPORT_SCRATCH_FOLDER_HPP

#include <slo/base/error.hpp>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace slo::test {

/// An empty folder in the system's temporary one. Throws IoError.
class ScratchFolder {
public:
    ScratchFolder() : path_((std::filesystem::temp_directory_path() / "sloutils-test-XXXXXX").string())
    {
        if (!::mkdtemp(path_.data()))
            throw IoError(path_, errno);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    ~ScratchFolder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    const std::string& path() const noexcept { return path_; }

    /// Writes a file, with the folders above it; returns its path.
    std::string write(const std::string& name, std::string_view text) const
    {
        const auto file = std::filesystem::path(path_) / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << text;
        return file.string();
    }

private:
    std::string path_;
};

} // namespace slo::test

#endif
