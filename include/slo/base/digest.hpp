// SPDX-License-Identifier: MIT
// Digests, by OpenSSL's EVP.

#ifndef SLO_BASE_DIGEST_HPP
#define SLO_BASE_DIGEST_HPP

#include <slo/base/error.hpp>

#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace slo {

/// MD5 of `text`: 16 bytes. Used for conversation sampling only, never for security.
/// Throws Error where the system's OpenSSL refuses MD5.
inline std::array<std::uint8_t, 16> md5(std::string_view text)
{
    std::array<std::uint8_t, 16> digest{};
    unsigned length = 0;
    if (EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_md5(), nullptr) != 1 ||
        length != digest.size())
        throw Error("md5", "not available in this OpenSSL");
    return digest;
}

} // namespace slo

#endif
