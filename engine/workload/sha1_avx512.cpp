// SHA-1 of 16 pieces in the 32-bit lanes of AVX-512 vectors.
#if defined(__x86_64__)

#include <immintrin.h>

// GCC 12 takes the deliberately undefined registers of its own AVX-512 header for mistakes of ours.
#pragma GCC diagnostic ignored "-Wuninitialized"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#define SHA1_TARGET target("avx512f,avx512bw")
#define SHA1_INLINE __attribute__((always_inline, SHA1_TARGET)) inline
#include "workload/sha1_rounds.h"

namespace mmapscope {
namespace {

struct Avx512Ops {
    using Vector = __m512i;

    SHA1_INLINE static Vector add(Vector a, Vector b) { return _mm512_add_epi32(a, b); }
    SHA1_INLINE static Vector exclusiveOr(Vector a, Vector b) { return _mm512_xor_si512(a, b); }
    // The last argument is the function's truth table: bit 4a + 2b + c.
    SHA1_INLINE static Vector parity(Vector a, Vector b, Vector c) {
        return _mm512_ternarylogic_epi32(a, b, c, 0x96);
    }
    SHA1_INLINE static Vector choose(Vector a, Vector b, Vector c) {
        return _mm512_ternarylogic_epi32(a, b, c, 0xCA);
    }
    SHA1_INLINE static Vector majority(Vector a, Vector b, Vector c) {
        return _mm512_ternarylogic_epi32(a, b, c, 0xE8);
    }
    template <int kBits>
    SHA1_INLINE static Vector rotate(Vector a) {
        return _mm512_rol_epi32(a, kBits);
    }
    SHA1_INLINE static Vector broadcast(std::uint32_t word) {
        return _mm512_set1_epi32(static_cast<int>(word));
    }
    SHA1_INLINE static Vector load(const std::uint32_t* row) { return _mm512_load_si512(row); }
    SHA1_INLINE static void store(std::uint32_t* row, Vector a) { _mm512_store_si512(row, a); }

    /// 16 rows of 16 words become columns: by words and pairs of words inside the 128-bit quarters first,
    /// then quarter by quarter.
    SHA1_INLINE static void transposeBlock(const std::byte* const* at, std::size_t offset,
                                           Vector (&words)[16]) {
        const Vector swapBytes =
            _mm512_broadcast_i32x4(_mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3));
        Vector rows[16];
        for (int i = 0; i < 16; ++i) {
            rows[i] = _mm512_loadu_si512(at[i] + offset);
        }
        // quarters[4i + j]: of lanes 4i to 4i+3, the words j, 4+j, 8+j, 12+j, one in each quarter.
        Vector quarters[16];
        for (int i = 0; i < 16; i += 4) {
            const Vector low01 = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
            const Vector high01 = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
            const Vector low23 = _mm512_unpacklo_epi32(rows[i + 2], rows[i + 3]);
            const Vector high23 = _mm512_unpackhi_epi32(rows[i + 2], rows[i + 3]);
            quarters[i] = _mm512_unpacklo_epi64(low01, low23);
            quarters[i + 1] = _mm512_unpackhi_epi64(low01, low23);
            quarters[i + 2] = _mm512_unpacklo_epi64(high01, high23);
            quarters[i + 3] = _mm512_unpackhi_epi64(high01, high23);
        }
        constexpr int kEven = 0x88;  // quarters 0 and 2 of both
        constexpr int kOdd = 0xDD;   // quarters 1 and 3 of both
        for (int j = 0; j < 4; ++j) {
            const Vector even03 = _mm512_shuffle_i32x4(quarters[j], quarters[4 + j], kEven);
            const Vector odd03 = _mm512_shuffle_i32x4(quarters[j], quarters[4 + j], kOdd);
            const Vector even47 = _mm512_shuffle_i32x4(quarters[8 + j], quarters[12 + j], kEven);
            const Vector odd47 = _mm512_shuffle_i32x4(quarters[8 + j], quarters[12 + j], kOdd);
            words[j] = _mm512_shuffle_epi8(_mm512_shuffle_i32x4(even03, even47, kEven), swapBytes);
            words[4 + j] = _mm512_shuffle_epi8(_mm512_shuffle_i32x4(odd03, odd47, kEven), swapBytes);
            words[8 + j] = _mm512_shuffle_epi8(_mm512_shuffle_i32x4(even03, even47, kOdd), swapBytes);
            words[12 + j] = _mm512_shuffle_epi8(_mm512_shuffle_i32x4(odd03, odd47, kOdd), swapBytes);
        }
    }
};

__attribute__((SHA1_TARGET)) void advance16(Sha1States& states, const std::byte* const* at,
                                            std::size_t blocks) {
    Sha1Rounds<Avx512Ops>::advance(states, at, blocks);
}

}  // namespace

extern const Sha1Lanes avx512Sha1Lanes;
const Sha1Lanes avx512Sha1Lanes = {
    "avx512", 16,
    [] { return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0; },
    advance16};

}  // namespace mmapscope

#endif
