// SPDX-License-Identifier: MIT
// A spec and a pool as files, for one test.

#ifndef SLO_TESTS_SUPPORT_QUOTA_FILES_HPP
#define SLO_TESTS_SUPPORT_QUOTA_FILES_HPP

#include "scratch_file.hpp"
#include "small_quota.hpp"

#include <slo/workload/quota_build.hpp>

#include <fstream>
#include <string>

namespace slo::test {

class QuotaFiles {
public:
    QuotaFiles(const std::string& spec, int conversations)
    {
        std::ofstream(spec_.path()) << spec;
        std::ofstream pool(pool_.path());
        for (const auto& line : small_pool_lines(conversations))
            pool << line << '\n';
    }

    workload::QuotaInput input() const
    {
        workload::QuotaInput input;
        input.spec = spec_.path();
        input.pool = pool_.path();
        input.tokenizer.how = "sim";
        return input;
    }

private:
    ScratchFile spec_;
    ScratchFile pool_;
};

} // namespace slo::test

#endif
