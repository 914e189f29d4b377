// SPDX-License-Identifier: MIT
// The NVML of the cases of gpu-preflight, built for one test, with cards made of files.

#ifndef SLO_TESTS_SUPPORT_FAKE_NVML_HPP
#define SLO_TESTS_SUPPORT_FAKE_NVML_HPP

#include <slo/base/error.hpp>

#include "scratch_folder.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

namespace slo::test {

/// Compiles it; `flags` may be "-DOLD". Throws Error.
class FakeNvml {
public:
    explicit FakeNvml(const std::string& flags = "")
    {
        const auto command = "gcc -shared -fPIC " + flags + " -o '" + library() +
                             "' tests/cli/gpu-preflight/fake_libnvidia_ml.c";
        if (std::system(command.c_str()) != 0)
            throw Error("gcc", "the fake NVML was not built");
        ::setenv("FAKE_NVML_DIR", folder_.path().c_str(), 1);
    }
    FakeNvml(const FakeNvml&) = delete;
    FakeNvml& operator=(const FakeNvml&) = delete;

    std::string library() const { return folder_.path() + "/libnvidia-ml.so.1"; }

    /// A card of that index, from lines FIELD=VALUE; or rows of "apps" or "remapped".
    void set(const std::string& name, std::string_view text) const { folder_.write(name, text); }

private:
    ScratchFolder folder_;
};

} // namespace slo::test

#endif
