// Random numbers specified to the bit, so that a recorded seed gives the same order and the same interval on
// every machine and standard library (std::shuffle and the std distributions are left to the implementation).
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "core/wide.h"

namespace mmapscope {

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
class SplitMix64 {
  public:
    explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() noexcept {
        state_ += 0x9e3779b97f4a7c15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31U);
    }

    /// Uniform in [0, bound): the high half of a 128-bit product, redrawn where that would favour some values
    /// (Lemire: "Fast random integer generation in an interval", 2019). Precondition: bound > 0.
    std::uint64_t below(std::uint64_t bound) noexcept {
        const std::uint64_t refused = (0 - bound) % bound;
        for (;;) {
            const Uint128 product = static_cast<Uint128>(next()) * bound;
            if (static_cast<std::uint64_t>(product) >= refused) {
                return static_cast<std::uint64_t>(product >> 64U);
            }
        }
    }

    /// Uniform in [0, 1).
    double unit() noexcept { return static_cast<double>(next() >> 11U) * 0x1p-53; }

  private:
    std::uint64_t state_;
};

/// A seed for one of several independent streams of a study's seed.
[[nodiscard]] inline std::uint64_t streamSeed(std::uint64_t seed, std::uint64_t stream) noexcept {
    return SplitMix64(seed ^ SplitMix64(stream).next()).next();
}

/// 0 … count-1 in an order drawn from `seed`: Fisher and Yates, from the last place down.
[[nodiscard]] inline std::vector<std::uint32_t> shuffledIndices(std::size_t count, std::uint64_t seed) {
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    SplitMix64 random(seed);
    for (std::size_t i = count; i > 1; --i) {
        std::swap(order[i - 1], order[random.below(i)]);
    }
    return order;
}

}  // namespace mmapscope
