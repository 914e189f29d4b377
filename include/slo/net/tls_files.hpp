// SPDX-License-Identifier: MIT
// The files that TLS needs, checked before the first connection: libcurl would name none of them.

#ifndef SLO_NET_TLS_FILES_HPP
#define SLO_NET_TLS_FILES_HPP

#include <slo/base/error.hpp>
#include <slo/base/pem.hpp>
#include <slo/io/fd.hpp>
#include <slo/net/http.hpp>

#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <string>

namespace slo::net {

inline constexpr std::size_t max_tls_file_bytes = std::size_t{16} << 20;

namespace detail {

inline std::string read_tls_file(const std::string& path)
{
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0)
        throw IoError(path, errno);
    if (!S_ISREG(status.st_mode))
        throw InputError(path, "not a regular file, and it is to be read again for each connection");
    return io::read_all(path, max_tls_file_bytes);
}

} // namespace detail

/// Reads every file that `tls` names and sees whether it will do. Throws IoError or InputError, which name
/// the file, and UsageError for a key without a certificate.
inline void check_tls_files(const TlsOptions& tls)
{
    if (!tls.key_file.empty() && tls.cert_file.empty())
        throw UsageError(tls.key_file, "a key wants a certificate");
    const auto refuse = [](const std::string& file, const std::string& fault) {
        if (!fault.empty())
            throw InputError(file, fault);
    };
    if (!tls.ca_file.empty())
        refuse(tls.ca_file, certificates_fault(detail::read_tls_file(tls.ca_file)));
    if (tls.cert_file.empty())
        return;
    const auto certificate = detail::read_tls_file(tls.cert_file);
    refuse(tls.cert_file, certificates_fault(certificate));
    const auto& key_file = tls.key_file.empty() ? tls.cert_file : tls.key_file;
    const auto key = tls.key_file.empty() ? certificate : detail::read_tls_file(key_file);
    refuse(key_file, private_key_fault(key));
    if (!is_key_of(key, certificate))
        throw InputError(key_file, "not the key of the certificate in " + tls.cert_file);
}

} // namespace slo::net

#endif
