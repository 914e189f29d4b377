// SPDX-License-Identifier: MIT
// A service that only sleeps, for tests of those who look after one.

#ifndef SLO_TESTS_SUPPORT_SLEEPING_SERVICE_HPP
#define SLO_TESTS_SUPPORT_SLEEPING_SERVICE_HPP

#include <slo/base/error.hpp>
#include <slo/run/service_file.hpp>
#include <slo/run/service_start.hpp>
#include <slo/run/service_stop.hpp>

#include <string>

namespace slo::test {

/// Runs while it lives; `path` is that of its state file.
class SleepingService {
public:
    explicit SleepingService(const std::string& path) : file_(path) { start(); }
    SleepingService(const SleepingService&) = delete;
    SleepingService& operator=(const SleepingService&) = delete;
    ~SleepingService()
    {
        try {
            stop();
        } catch (const Error&) {
            // A destructor has nobody to tell.
        }
    }

    const run::ServiceFile& file() const noexcept { return file_; }
    int pid() const { return file_.read().process->pid; }

    void start() const
    {
        run::ServiceStartOptions options;
        options.state_file = file_.path();
        options.command = {"sleep", "1000"};
        run::start_service(options, [](const std::string&) {});
    }

    void stop() const { run::stop_service(file_, 1.0); }

private:
    run::ServiceFile file_;
};

} // namespace slo::test

#endif
