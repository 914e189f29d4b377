// SPDX-License-Identifier: MIT
// The random numbers of Python's random.Random, for orders that programs in Python gave.

#ifndef SLO_BASE_PYTHON_RANDOM_HPP
#define SLO_BASE_PYTHON_RANDOM_HPP

#include <boost/random/mersenne_twister.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace slo {

/// CPython's random.Random(seed) for an integer seed: MT19937 seeded by init_by_array (Matsumoto and
/// Nishimura, mt19937ar.c, 2002), with the absolute value of the seed as its key.
class PythonRandom {
public:
    explicit PythonRandom(std::int64_t seed)
    {
        auto state =
            seeded_state(seed < 0 ? 0 - static_cast<std::uint64_t>(seed) : static_cast<std::uint64_t>(seed));
        auto first = state.begin();
        engine_.seed(first, state.end());
    }

    /// getrandbits(bits): uniform below 2^bits, 1 <= bits <= 64.
    std::uint64_t bits(int bits)
    {
        if (bits <= 32)
            return engine_() >> (32 - bits);
        const std::uint64_t low = engine_();
        return low | std::uint64_t{engine_()} >> (64 - bits) << 32;
    }

    /// Uniform below `bound` >= 1: draws as many bits as `bound` has until they are below it.
    std::uint64_t below(std::uint64_t bound)
    {
        const auto width = static_cast<int>(std::bit_width(bound));
        auto number = bits(width);
        while (number >= bound)
            number = bits(width);
        return number;
    }

    /// shuffle(items): from the last place down, each changes with one drawn from those up to it.
    template <class T>
    void shuffle(std::vector<T>& items)
    {
        for (auto i = items.size(); i-- > 1;)
            std::swap(items[i], items[static_cast<std::size_t>(below(i + 1))]);
    }

private:
    static constexpr std::size_t state_size = 624;
    using State = std::array<std::uint32_t, state_size>;

    static State seeded_state(std::uint64_t seed)
    {
        const std::array<std::uint32_t, 2> key{static_cast<std::uint32_t>(seed),
                                               static_cast<std::uint32_t>(seed >> 32)};
        const std::size_t key_size = key[1] == 0 ? 1 : 2;
        State state;
        state[0] = 19650218;
        for (std::size_t i = 1; i < state_size; ++i)
            state[i] = 1812433253U * mixed(state[i - 1]) + static_cast<std::uint32_t>(i);
        std::size_t at = 1;
        const auto go_on = [&] {
            if (++at == state_size) {
                state[0] = state[state_size - 1];
                at = 1;
            }
        };
        for (std::size_t i = 0; i < state_size; ++i) {
            const auto j = i % key_size;
            state[at] =
                (state[at] ^ mixed(state[at - 1]) * 1664525U) + key[j] + static_cast<std::uint32_t>(j);
            go_on();
        }
        for (std::size_t i = 1; i < state_size; ++i) {
            state[at] = (state[at] ^ mixed(state[at - 1]) * 1566083941U) - static_cast<std::uint32_t>(at);
            go_on();
        }
        state[0] = 0x80000000U;
        return state;
    }

    static constexpr std::uint32_t mixed(std::uint32_t word) noexcept { return word ^ word >> 30; }

    boost::random::mt19937 engine_;
};

} // namespace slo

#endif
