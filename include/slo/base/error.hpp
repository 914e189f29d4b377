// SPDX-License-Identifier: MIT
// What the library throws, and what a tool's exit status says.

#ifndef SLO_BASE_ERROR_HPP
#define SLO_BASE_ERROR_HPP

#include <cerrno>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace slo {

/// Exit status of every tool; what 0, 1 and 2 mean for one of them stands on its page.
enum class Exit : int { ok = 0, negative = 1, undecided = 2, error = 3 };

/// Anything that ends a tool with status 3. what() is "subject: reason", or the reason alone.
class Error : public std::runtime_error {
public:
    explicit Error(const std::string& reason) : std::runtime_error(reason) {}
    Error(std::string_view subject, std::string_view reason)
        : std::runtime_error(std::string(subject) + ": " + std::string(reason))
    {
    }
};

/// The command line does not make sense.
class UsageError : public Error {
public:
    using Error::Error;
};

/// Bytes from outside are not what they should be; the subject names file and line ("route.jsonl:17").
class InputError : public Error {
public:
    using Error::Error;
    InputError(std::string_view file, std::size_t line, std::string_view reason)
        : Error(std::string(file) + ":" + std::to_string(line), reason)
    {
    }
};

/// The system refused to open, read, write or start something; the reason is strerror's.
class IoError : public Error {
public:
    IoError(std::string_view subject, int error_number)
        : Error(subject, std::generic_category().message(error_number)), errno_(error_number)
    {
    }

    /// The errno value behind the error.
    int error_number() const noexcept { return errno_; }

private:
    int errno_;
};

/// The reader of our stdout went away: the tool ends quietly.
class ClosedPipe : public Error {
public:
    ClosedPipe() : Error("standard output", "closed by its reader") {}
};

} // namespace slo

#endif
