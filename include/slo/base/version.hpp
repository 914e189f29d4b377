// SPDX-License-Identifier: MIT
// The only place where the version stands.

#ifndef SLO_BASE_VERSION_HPP
#define SLO_BASE_VERSION_HPP

#define SLO_VERSION "0.1.0"

namespace slo {

/// The version of the library and of every tool, "major.minor.patch".
inline constexpr const char* version = SLO_VERSION;

} // namespace slo

#endif
