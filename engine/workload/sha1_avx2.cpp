// SHA-1 of 8 pieces in the 32-bit lanes of AVX2 vectors.
#if defined(__x86_64__)

#include <immintrin.h>

#define SHA1_TARGET target("avx2")
#define SHA1_INLINE __attribute__((always_inline, SHA1_TARGET)) inline
#include "workload/sha1_rounds.h"

namespace mmapscope {
namespace {

struct Avx2Ops {
    using Vector = __m256i;

    SHA1_INLINE static Vector add(Vector a, Vector b) { return _mm256_add_epi32(a, b); }
    SHA1_INLINE static Vector exclusiveOr(Vector a, Vector b) { return _mm256_xor_si256(a, b); }
    SHA1_INLINE static Vector parity(Vector a, Vector b, Vector c) {
        return exclusiveOr(exclusiveOr(a, b), c);
    }
    SHA1_INLINE static Vector choose(Vector a, Vector b, Vector c) {
        return exclusiveOr(c, _mm256_and_si256(a, exclusiveOr(b, c)));
    }
    SHA1_INLINE static Vector majority(Vector a, Vector b, Vector c) {
        return _mm256_or_si256(_mm256_and_si256(a, b), _mm256_and_si256(c, _mm256_or_si256(a, b)));
    }
    template <int kBits>
    SHA1_INLINE static Vector rotate(Vector a) {
        return _mm256_or_si256(_mm256_slli_epi32(a, kBits), _mm256_srli_epi32(a, 32 - kBits));
    }
    SHA1_INLINE static Vector broadcast(std::uint32_t word) {
        return _mm256_set1_epi32(static_cast<int>(word));
    }
    SHA1_INLINE static Vector load(const std::uint32_t* row) {
        return _mm256_load_si256(reinterpret_cast<const Vector*>(row));
    }
    SHA1_INLINE static void store(std::uint32_t* row, Vector a) {
        _mm256_store_si256(reinterpret_cast<Vector*>(row), a);
    }

    SHA1_INLINE static void transposeBlock(const std::byte* const* at, std::size_t offset,
                                           Vector (&words)[16]) {
        transposeHalf(at, offset, words);
        transposeHalf(at, offset + sizeof(Vector), words + 8);
    }

  private:
    /// 8 rows of 8 words become columns: inside the 128-bit halves first, then half by half.
    SHA1_INLINE static void transposeHalf(const std::byte* const* at, std::size_t offset, Vector* words) {
        const Vector swapBytes =
            _mm256_broadcastsi128_si256(_mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3));
        Vector rows[8];
        for (int i = 0; i < 8; ++i) {
            rows[i] = _mm256_shuffle_epi8(_mm256_loadu_si256(reinterpret_cast<const Vector*>(at[i] + offset)),
                                          swapBytes);
        }
        // halves[4i + j]: of lanes 4i to 4i+3, word j in the low half and 4+j in the high one.
        Vector halves[8];
        for (int i = 0; i < 8; i += 4) {
            const Vector low01 = _mm256_unpacklo_epi32(rows[i], rows[i + 1]);
            const Vector high01 = _mm256_unpackhi_epi32(rows[i], rows[i + 1]);
            const Vector low23 = _mm256_unpacklo_epi32(rows[i + 2], rows[i + 3]);
            const Vector high23 = _mm256_unpackhi_epi32(rows[i + 2], rows[i + 3]);
            halves[i] = _mm256_unpacklo_epi64(low01, low23);
            halves[i + 1] = _mm256_unpackhi_epi64(low01, low23);
            halves[i + 2] = _mm256_unpacklo_epi64(high01, high23);
            halves[i + 3] = _mm256_unpackhi_epi64(high01, high23);
        }
        for (int j = 0; j < 4; ++j) {
            words[j] = _mm256_permute2x128_si256(halves[j], halves[4 + j], 0x20);
            words[4 + j] = _mm256_permute2x128_si256(halves[j], halves[4 + j], 0x31);
        }
    }
};

__attribute__((SHA1_TARGET)) void advance8(Sha1States& states, const std::byte* const* at,
                                           std::size_t blocks) {
    Sha1Rounds<Avx2Ops>::advance(states, at, blocks);
}

}  // namespace

extern const Sha1Lanes avx2Sha1Lanes;
const Sha1Lanes avx2Sha1Lanes = {"avx2", 8, [] { return __builtin_cpu_supports("avx2") != 0; }, advance8};

}  // namespace mmapscope

#endif
