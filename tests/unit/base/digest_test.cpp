#include <slo/base/digest.hpp>

#define BOOST_TEST_MODULE base_digest
#include <boost/test/unit_test.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace {

std::string hex(const std::array<std::uint8_t, 32>& bytes)
{
    std::string text;
    for (const auto byte : bytes) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

} // namespace

// RFC 4231, cases 1, 2 and 6.
BOOST_AUTO_TEST_CASE(hmac_sha256_as_the_rfc_has_it)
{
    BOOST_TEST(hex(slo::hmac_sha256(std::string(20, '\x0b'), "Hi There")) ==
               "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    BOOST_TEST(hex(slo::hmac_sha256("Jefe", "what do ya want for nothing?")) ==
               "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    BOOST_TEST(hex(slo::hmac_sha256(std::string(131, '\xaa'),
                                    "Test Using Larger Than Block-Size Key - Hash Key First")) ==
               "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}
