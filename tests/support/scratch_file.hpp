// SPDX-License-Identifier: MIT
// A file for one test, gone afterwards.

#ifndef SLO_TESTS_SUPPORT_SCRATCH_FILE_HPP
#define SLO_TESTS_SUPPORT_SCRATCH_FILE_HPP

#include <slo/base/error.hpp>

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace slo::test {

/// An empty file in the system's temporary folder. Throws IoError.
class ScratchFile {
public:
    ScratchFile() : path_((std::filesystem::temp_directory_path() / "sloutils-test-XXXXXX").string())
    {
        const int fd = ::mkstemp(path_.data());
        if (fd < 0)
            throw IoError(path_, errno);
        ::close(fd);
    }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    ~ScratchFile() { ::unlink(path_.c_str()); }

    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

} // namespace slo::test

#endif
