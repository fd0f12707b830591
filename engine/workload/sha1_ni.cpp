// SHA-1 by the x86 SHA extensions. One message leaves their units idle most of the time (each step waits for
// the one before), so that two or three interleaved cost little more than one.
#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

#include <utility>

#include "workload/sha1_lanes.h"

#define SHA1_TARGET target("sha,sse4.1,ssse3")
#define SHA1_INLINE __attribute__((always_inline, SHA1_TARGET)) inline

namespace mmapscope {
namespace {

template <int kStreams>
struct ShaNi {
    struct Stream {
        __m128i abcd;         ///< a in the highest word
        __m128i e;            ///< in the highest word: what the next group adds e from
        __m128i schedule[4];  ///< the last 16 words
    };

    /// Rounds 4·kGroup to 4·kGroup + 3 of one message.
    template <int kGroup>
    SHA1_INLINE static void group(Stream& s) {
        __m128i& words = s.schedule[kGroup % 4];
        if constexpr (kGroup >= 4) {
            const __m128i partial = _mm_xor_si128(_mm_sha1msg1_epu32(words, s.schedule[(kGroup + 1) % 4]),
                                                  s.schedule[(kGroup + 2) % 4]);
            words = _mm_sha1msg2_epu32(partial, s.schedule[(kGroup + 3) % 4]);
        }
        const __m128i added = kGroup == 0 ? _mm_add_epi32(s.e, words) : _mm_sha1nexte_epu32(s.e, words);
        s.e = s.abcd;
        s.abcd = _mm_sha1rnds4_epu32(s.abcd, added, kGroup / 5);
    }

    template <int kGroup>
    SHA1_INLINE static void groups(Stream (&streams)[kStreams]) {
        for (Stream& s : streams) {
            group<kGroup>(s);
        }
    }

    template <int... kGroup>
    SHA1_INLINE static void all(Stream (&streams)[kStreams], std::integer_sequence<int, kGroup...>) {
        (groups<kGroup>(streams), ...);
    }

    __attribute__((SHA1_TARGET)) static void advance(Sha1States& states, const std::byte* const* at,
                                                     std::size_t blocks) {
        const __m128i reverse = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        auto& w = states.words;
        Stream streams[kStreams];
        for (std::size_t i = 0; i < kStreams; ++i) {
            streams[i].abcd = _mm_set_epi32(static_cast<int>(w[0][i]), static_cast<int>(w[1][i]),
                                            static_cast<int>(w[2][i]), static_cast<int>(w[3][i]));
            streams[i].e = _mm_set_epi32(static_cast<int>(w[4][i]), 0, 0, 0);
        }
        for (std::size_t block = 0; block < blocks; ++block) {
            fetchAhead(at, kStreams, block);
            __m128i abcd[kStreams];
            __m128i e[kStreams];
            for (std::size_t i = 0; i < kStreams; ++i) {
                abcd[i] = streams[i].abcd;
                e[i] = streams[i].e;
                const auto* from = reinterpret_cast<const __m128i*>(at[i] + block * kSha1Block);
                for (int j = 0; j < 4; ++j) {
                    streams[i].schedule[j] = _mm_shuffle_epi8(_mm_loadu_si128(from + j), reverse);
                }
            }
            all(streams, std::make_integer_sequence<int, 20>());
            for (std::size_t i = 0; i < kStreams; ++i) {
                streams[i].abcd = _mm_add_epi32(streams[i].abcd, abcd[i]);
                streams[i].e = _mm_sha1nexte_epu32(streams[i].e, e[i]);
            }
        }
        for (std::size_t i = 0; i < kStreams; ++i) {
            w[0][i] = static_cast<std::uint32_t>(_mm_extract_epi32(streams[i].abcd, 3));
            w[1][i] = static_cast<std::uint32_t>(_mm_extract_epi32(streams[i].abcd, 2));
            w[2][i] = static_cast<std::uint32_t>(_mm_extract_epi32(streams[i].abcd, 1));
            w[3][i] = static_cast<std::uint32_t>(_mm_extract_epi32(streams[i].abcd, 0));
            w[4][i] = static_cast<std::uint32_t>(_mm_extract_epi32(streams[i].e, 3));
        }
    }
};

/// CPUID leaf 7, EBX bit 29: GCC 12 has no name for it in __builtin_cpu_supports.
bool hasShaNi() {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0 &&
           __builtin_cpu_supports("ssse3") != 0 && __builtin_cpu_supports("sse4.1") != 0;
}

}  // namespace

extern const Sha1Lanes shaNi1Sha1Lanes, shaNi2Sha1Lanes, shaNi3Sha1Lanes;
const Sha1Lanes shaNi1Sha1Lanes = {"sha-ni", 1, hasShaNi, ShaNi<1>::advance};
const Sha1Lanes shaNi2Sha1Lanes = {"sha-ni ×2", 2, hasShaNi, ShaNi<2>::advance};
const Sha1Lanes shaNi3Sha1Lanes = {"sha-ni ×3", 3, hasShaNi, ShaNi<3>::advance};

}  // namespace mmapscope

#endif
