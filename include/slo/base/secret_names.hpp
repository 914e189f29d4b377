// SPDX-License-Identifier: MIT
// Which names stand before something that no file and no message may show.

#ifndef SLO_BASE_SECRET_NAMES_HPP
#define SLO_BASE_SECRET_NAMES_HPP

#include <slo/base/text.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace slo {

/// True where the name of a header or of a parameter in a URL speaks of a secret, whatever its case. Rather
/// too many than too few: what it is wrong about is only left out of records.
inline bool names_a_secret(std::string_view name)
{
    constexpr std::array<std::string_view, 8> words{"auth", "key",    "token",   "secret",
                                                    "pass", "cookie", "session", "sig"};
    const auto lower = lower_case(name);
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

} // namespace slo

#endif
