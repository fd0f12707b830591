// SHA-1 (FIPS 180-4) of several pieces side by side: each implementation advances as many digests at once as
// it has lanes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "workload/sha1.h"

namespace mmapscope {

inline constexpr std::size_t kSha1Block = 64;
inline constexpr std::size_t kMaxSha1Lanes = 16;
/// How far in front of each lane its bytes are fetched. Lanes lie a piece apart: to the hardware's
/// prefetchers they are more streams than they follow, or lines of one set of the nearest cache.
inline constexpr std::size_t kSha1Ahead = 8 * kSha1Block;

/// Before the lanes take block `block`. Behind a piece's end it asks for what nobody loads, which does no
/// harm: a prefetch never faults.
inline __attribute__((always_inline)) void fetchAhead(const std::byte* const* at, std::size_t lanes,
                                                      std::size_t block) {
    for (std::size_t i = 0; i < lanes; ++i) {
        __builtin_prefetch(at[i] + block * kSha1Block + kSha1Ahead);
    }
}

/// The five words of every lane's digest, word by word, so that a vector holds one word of all lanes.
struct Sha1States {
    alignas(64) std::array<std::array<std::uint32_t, kMaxSha1Lanes>, 5> words;

    /// The initial hash value in every lane (FIPS 180-4, 5.3.1).
    void reset() noexcept;
    [[nodiscard]] Sha1::Digest digest(std::size_t lane) const noexcept;
};

struct Sha1Lanes {
    std::string_view name;
    std::size_t lanes;
    bool (*supported)();
    /// Takes `blocks` blocks from at[lane] on, for each of its lanes: all pointers must be readable.
    void (*advance)(Sha1States& states, const std::byte* const* at, std::size_t blocks);
};

/// Every implementation this build has; `portable`, with one lane, runs everywhere.
[[nodiscard]] std::span<const Sha1Lanes* const> allSha1Lanes();
/// The supported one that takes the least time a piece for `pieces` pieces, by a measurement made at the
/// first call (about a millisecond): on one CPU two interleaved SHA streams cost little more than one, on
/// another twice as much.
[[nodiscard]] const Sha1Lanes& bestSha1Lanes(std::size_t pieces);
/// Whether this CPU has one that hashes several pieces at once.
[[nodiscard]] bool hasManySha1Lanes();

/// The end of a message (FIPS 180-4, 5.1.1): what is left of it behind its last whole block, a one bit, zeros
/// and its length.
class Sha1Ending {
  public:
    /// `rest`: the message's last length % 64 bytes.
    Sha1Ending(std::span<const std::byte> rest, std::uint64_t length) noexcept;
    [[nodiscard]] const std::byte* data() const noexcept { return bytes_.data(); }
    [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }

  private:
    std::array<std::byte, 2 * kSha1Block> bytes_{};
    std::size_t blocks_;
};

}  // namespace mmapscope
