// SPDX-License-Identifier: MIT
// Seeded randomness: Boost.Random, so that a seed gives the same numbers from every compiler.

#ifndef SLO_BASE_RANDOM_HPP
#define SLO_BASE_RANDOM_HPP

#include <boost/random/exponential_distribution.hpp>
#include <boost/random/gamma_distribution.hpp>
#include <boost/random/lognormal_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_01.hpp>

#include <cstdint>

namespace slo {

/// A source of random numbers, wholly determined by its seed.
class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    /// Uniform in [0, 1).
    double uniform() { return boost::random::uniform_01<double>()(engine_); }

    /// Exponential with the given mean.
    double exponential(double mean)
    {
        return boost::random::exponential_distribution<double>(1.0 / mean)(engine_);
    }

    /// Normal with the given mean and standard deviation.
    double normal(double mean, double deviation)
    {
        return boost::random::normal_distribution<double>(mean, deviation)(engine_);
    }

    /// Gamma with the given shape and scale: mean shape · scale.
    double gamma(double shape, double scale)
    {
        return boost::random::gamma_distribution<double>(shape, scale)(engine_);
    }

    /// Lognormal: exp of a normal with mean `mu` and standard deviation `sigma`.
    double lognormal(double mu, double sigma)
    {
        return boost::random::lognormal_distribution<double>(mu, sigma)(engine_);
    }

    /// 64 random bits.
    std::uint64_t bits() { return engine_(); }

private:
    boost::random::mt19937_64 engine_;
};

} // namespace slo

#endif
