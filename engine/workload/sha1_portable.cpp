// SHA-1 of one piece, in plain C++.
#include <bit>
#include <cstring>

#define SHA1_INLINE __attribute__((always_inline)) inline
#include "workload/sha1_rounds.h"

namespace mmapscope {
namespace {

struct WordOps {
    using Vector = std::uint32_t;

    static Vector add(Vector a, Vector b) { return a + b; }
    static Vector exclusiveOr(Vector a, Vector b) { return a ^ b; }
    static Vector parity(Vector a, Vector b, Vector c) { return a ^ b ^ c; }
    static Vector choose(Vector a, Vector b, Vector c) { return c ^ (a & (b ^ c)); }
    static Vector majority(Vector a, Vector b, Vector c) { return (a & b) | (c & (a | b)); }
    template <int kBits>
    static Vector rotate(Vector a) {
        return std::rotl(a, kBits);
    }
    static Vector broadcast(std::uint32_t word) { return word; }
    static Vector load(const std::uint32_t* row) { return *row; }
    static void store(std::uint32_t* row, Vector a) { *row = a; }
    static void transposeBlock(const std::byte* const* at, std::size_t offset, Vector (&words)[16]) {
        std::memcpy(words, at[0] + offset, kSha1Block);
        if constexpr (std::endian::native == std::endian::little) {
            for (Vector& word : words) {
                word = __builtin_bswap32(word);
            }
        }
    }
};

}  // namespace

extern const Sha1Lanes portableSha1Lanes;
const Sha1Lanes portableSha1Lanes = {"portable", 1, [] { return true; },
                                     [](Sha1States& states, const std::byte* const* at, std::size_t blocks) {
                                         Sha1Rounds<WordOps>::advance(states, at, blocks);
                                     }};

}  // namespace mmapscope
