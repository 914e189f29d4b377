// SPDX-License-Identifier: MIT
// Ids of requests.

#ifndef SLO_RUN_REQUEST_ID_HPP
#define SLO_RUN_REQUEST_ID_HPP

#include <slo/base/random.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace slo::run {

/// Version 4 UUIDs (RFC 9562), determined by a seed.
class RequestIds {
public:
    explicit RequestIds(std::uint64_t seed) : random_(seed) {}

    /// The next one, 36 characters.
    std::string next()
    {
        constexpr char digits[] = "0123456789abcdef";
        const std::uint64_t high = (random_.bits() & ~std::uint64_t{0xF000}) | 0x4000;
        const std::uint64_t low = random_.bits() >> 2 | std::uint64_t{1} << 63;
        std::string id;
        id.reserve(36);
        for (const auto half : {high, low}) {
            for (int shift = 60; shift >= 0; shift -= 4) {
                if (id.size() == 8 || id.size() == 13 || id.size() == 18 || id.size() == 23)
                    id += '-';
                id += digits[half >> shift & 15];
            }
        }
        return id;
    }

private:
    Random random_;
};

} // namespace slo::run

#endif
