// SPDX-License-Identifier: MIT
// The HTTP library's own version, for --version.

#ifndef SLO_NET_LIBRARY_VERSION_HPP
#define SLO_NET_LIBRARY_VERSION_HPP

#include <curl/curl.h>

#include <string>

namespace slo::net {

/// "libcurl/7.88.1 OpenSSL/3.0.15 …": libcurl and what it was built with, as it runs.
inline std::string library_version()
{
    return curl_version();
}

} // namespace slo::net

#endif
