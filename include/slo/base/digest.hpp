// SPDX-License-Identifier: MIT
// Digests, by OpenSSL's EVP.

#ifndef SLO_BASE_DIGEST_HPP
#define SLO_BASE_DIGEST_HPP

#include <slo/base/error.hpp>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace slo {

/// MD5 of `text`: 16 bytes. Used for conversation sampling only, never for security.
/// Throws Error where the system's OpenSSL refuses MD5.
inline std::array<std::uint8_t, 16> md5(std::string_view text)
{
    // Looked up once: EVP_md5() is looked up anew for each digest, which takes longer than the digest.
    static const std::unique_ptr<EVP_MD, void (*)(EVP_MD*)> algorithm(EVP_MD_fetch(nullptr, "MD5", nullptr),
                                                                      &EVP_MD_free);
    thread_local const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(),
                                                                                  &EVP_MD_CTX_free);
    std::array<std::uint8_t, 16> digest{};
    unsigned length = 0;
    if (!algorithm || !context || EVP_DigestInit_ex2(context.get(), algorithm.get(), nullptr) != 1 ||
        EVP_DigestUpdate(context.get(), text.data(), text.size()) != 1 ||
        EVP_DigestFinal_ex(context.get(), digest.data(), &length) != 1 || length != digest.size())
        throw Error("md5", "not available in this OpenSSL");
    return digest;
}

/// The HMAC-SHA-256 of `text`: 32 bytes that say nothing of it to those who have not the key. RFC 2104.
/// Throws Error where the system's OpenSSL refuses it.
inline std::array<std::uint8_t, 32> hmac_sha256(std::string_view key, std::string_view text)
{
    std::array<std::uint8_t, 32> digest{};
    unsigned length = 0;
    if (!HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
              reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &length) ||
        length != digest.size())
        throw Error("hmac-sha256", "not available in this OpenSSL");
    return digest;
}

/// The SHA-256 of bytes that come in pieces.
class Sha256 {
public:
    /// Throws Error where the system's OpenSSL refuses it.
    Sha256() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free)
    {
        check(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
    }

    void update(std::string_view bytes)
    {
        check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
    }

    /// 64 hexadecimal digits of all bytes so far; the last call to this object.
    std::string finish()
    {
        std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
        unsigned length = 0;
        check(EVP_DigestFinal_ex(context_.get(), digest.data(), &length) == 1);
        std::string hex;
        for (unsigned i = 0; i < length; ++i) {
            hex += "0123456789abcdef"[digest[i] >> 4];
            hex += "0123456789abcdef"[digest[i] & 15];
        }
        return hex;
    }

private:
    static void check(bool done)
    {
        if (!done)
            throw Error("sha256", "not available in this OpenSSL");
    }

    std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

/// SHA-256 of `text`: 64 hexadecimal digits.
inline std::string sha256(std::string_view text)
{
    Sha256 digest;
    digest.update(text);
    return digest.finish();
}

} // namespace slo

#endif
