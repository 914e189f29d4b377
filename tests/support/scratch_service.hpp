// SPDX-License-Identifier: MIT
// A service for one test, in a folder of its own, gone afterwards.

#ifndef SLO_TESTS_SUPPORT_SCRATCH_SERVICE_HPP
#define SLO_TESTS_SUPPORT_SCRATCH_SERVICE_HPP

#include <slo/run/service_start.hpp>
#include <slo/run/service_stop.hpp>

#include <poll.h>
#include <stdlib.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace slo::test {

class ScratchService {
public:
    ScratchService()
        : folder_((std::filesystem::temp_directory_path() / "sloutils-test-XXXXXX").string()),
          made_(make(folder_)), file(folder_ + "/s.json")
    {
    }
    ScratchService(const ScratchService&) = delete;
    ScratchService& operator=(const ScratchService&) = delete;
    ~ScratchService()
    {
        try {
            run::stop_service(file, 0.1);
        } catch (const Error&) {
        }
        std::filesystem::remove_all(folder_);
    }

    /// Starts a line for a shell.
    record::ServiceState start(const std::string& line, const std::string& api_base = {})
    {
        run::ServiceStartOptions options;
        options.state_file = file.path();
        options.folder = folder_;
        options.api_base = api_base;
        options.command = {"sh", "-c", line};
        return run::start_service(options, [](const std::string&) {});
    }

    const std::string& folder() const noexcept { return folder_; }

    /// True as soon as `condition` is; false after ten seconds.
    static bool becomes(const std::function<bool()>& condition)
    {
        for (int i = 0; i < 1000; ++i) {
            if (condition())
                return true;
            ::poll(nullptr, 0, 10);
        }
        return false;
    }

private:
    static bool make(std::string& folder) { return ::mkdtemp(folder.data()) != nullptr; }

    std::string folder_;
    bool made_;

public:
    run::ServiceFile file;
};

} // namespace slo::test

#endif
