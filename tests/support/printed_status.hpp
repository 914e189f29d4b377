// SPDX-License-Identifier: MIT
// How Boost.Test prints the status of a verdict.

#ifndef SLO_TESTS_SUPPORT_PRINTED_STATUS_HPP
#define SLO_TESTS_SUPPORT_PRINTED_STATUS_HPP

#include <slo/record/verdict.hpp>

#include <ostream>

namespace slo::record {

inline std::ostream& boost_test_print_type(std::ostream& out, VerdictStatus status)
{
    return out << name_of(status);
}

} // namespace slo::record

#endif
