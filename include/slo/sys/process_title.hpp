// SPDX-License-Identifier: MIT
// What ps shows of a process that goes on as another than it was called.

#ifndef SLO_SYS_PROCESS_TITLE_HPP
#define SLO_SYS_PROCESS_TITLE_HPP

#include <sys/prctl.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

namespace slo::sys {

/// The memory that holds the arguments of main, over which a title can be written. One a process.
class ProcessTitle {
public:
    /// Where the arguments are; those who still need them must have copied them before set().
    static void remember(int argc, char** argv) noexcept
    {
        begin_ = argc > 0 ? argv[0] : nullptr;
        size_ = 0;
        for (int i = 0; i < argc && argv[i] == begin_ + size_; ++i)
            size_ += std::strlen(argv[i]) + 1;
    }

    /// Shows `title` in the place of the arguments, cut to their length; nothing when they are not known.
    static void set(const std::string& title) noexcept
    {
        if (size_ == 0)
            return;
        std::memset(begin_, 0, size_);
        std::memcpy(begin_, title.data(), std::min(title.size(), size_ - 1));
        ::prctl(PR_SET_NAME, title.c_str());
    }

private:
    static inline char* begin_ = nullptr;
    static inline std::size_t size_ = 0;
};

} // namespace slo::sys

#endif
