// A small seeded generator, the same on every machine: xoshiro256** by Blackman and Vigna (public domain
// algorithm, prng.di.unimi.it), its state filled by splitmix64 as its authors advise.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "core/wide.h"

namespace mmapscope {

class Random {
  public:
    explicit Random(std::uint64_t seed) noexcept {
        for (auto& word : state_) {
            seed += 0x9E3779B97F4A7C15U;
            std::uint64_t mixed = seed;
            mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
            mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
            word = mixed ^ (mixed >> 31U);
        }
    }

    std::uint64_t next() noexcept {
        const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const std::uint64_t shifted = state_[1] << 17U;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    /// 0 … bound − 1, by multiplication: even enough for sample data.
    std::uint64_t below(std::uint64_t bound) noexcept {
        return static_cast<std::uint64_t>((static_cast<Uint128>(next()) * bound) >> 64U);
    }

  private:
    std::array<std::uint64_t, 4> state_{};
};

}  // namespace mmapscope
