// SPDX-License-Identifier: MIT
// What is wrong with certificates and keys in PEM form, by OpenSSL's readers.

#ifndef SLO_BASE_PEM_HPP
#define SLO_BASE_PEM_HPP

#include <slo/base/error.hpp>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace slo {

namespace detail {

struct OpensslFree {
    void operator()(BIO* bio) const noexcept { BIO_free(bio); }
    void operator()(X509* certificate) const noexcept { X509_free(certificate); }
    void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
};

using Bio = std::unique_ptr<BIO, OpensslFree>;
using Certificate = std::unique_ptr<X509, OpensslFree>;
using PrivateKey = std::unique_ptr<EVP_PKEY, OpensslFree>;

inline Bio pem_source(std::string_view pem)
{
    ERR_clear_error();
    Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    if (!bio)
        throw Error("OpenSSL", "out of memory");
    return bio;
}

// Whoever reads a file for a tool has nobody to ask.
inline int refuse_pass_phrase(char*, int, int, void* asked)
{
    *static_cast<bool*>(asked) = true;
    return -1;
}

inline Certificate next_certificate(const Bio& source)
{
    bool asked = false;
    return Certificate(PEM_read_bio_X509_AUX(source.get(), nullptr, refuse_pass_phrase, &asked));
}

inline PrivateKey next_key(const Bio& source, bool& asked)
{
    return PrivateKey(PEM_read_bio_PrivateKey(source.get(), nullptr, refuse_pass_phrase, &asked));
}

inline bool at_end_of_pem() noexcept
{
    const auto error = ERR_peek_last_error();
    return ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}

inline std::string last_openssl_reason()
{
    const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
    return reason ? reason : "unknown reason";
}

} // namespace detail

/// Why `pem` (below 2 GB) cannot serve as a list of certificates; empty when it can.
inline std::string certificates_fault(std::string_view pem)
{
    const auto source = detail::pem_source(pem);
    std::size_t count = 0;
    while (detail::next_certificate(source))
        ++count;
    if (!detail::at_end_of_pem())
        return "malformed certificate number " + std::to_string(count + 1) + " (" +
               detail::last_openssl_reason() + ")";
    return count == 0 ? "holds no certificate in PEM form" : "";
}

/// Why `pem` cannot serve as a private key; empty when it can. No message holds a part of it.
inline std::string private_key_fault(std::string_view pem)
{
    bool asked = false;
    if (detail::next_key(detail::pem_source(pem), asked))
        return "";
    if (asked)
        return "the key is encrypted: give one without a pass phrase";
    // Here OpenSSL has one reason for both.
    const bool has_key = pem.find("PRIVATE KEY-----") != std::string_view::npos;
    return has_key ? "malformed private key (" + detail::last_openssl_reason() + ")"
                   : "holds no private key in PEM form";
}

/// True when the key is that of the first certificate; both without a fault.
inline bool is_key_of(std::string_view key_pem, std::string_view certificates_pem)
{
    bool asked = false;
    const auto certificate = detail::next_certificate(detail::pem_source(certificates_pem));
    const auto key = detail::next_key(detail::pem_source(key_pem), asked);
    return certificate && key && X509_check_private_key(certificate.get(), key.get()) == 1;
}

} // namespace slo

#endif
