// The scanner for CPUs with AVX-512 VBMI: a row is one or two blocks, its digits are put into their places by
// one permutation for four numbers.
#if defined(__x86_64__)

#include <immintrin.h>

// GCC 12 takes the deliberately undefined registers of its own AVX-512 header for mistakes of ours.
#pragma GCC diagnostic ignored "-Wuninitialized"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#define TICK_TARGET target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,bmi,bmi2,popcnt")
#include "workload/tick_rows.h"

#include <cstring>

namespace mmapscope {
namespace {

struct Avx512 {
    static constexpr std::size_t kLines = TickRun::kMostLines;
    static constexpr TickGathering kGathering{4, 4, 4, TickShape::kBlock - 1, TickShape::kBlock - 1};

    struct Block {
        __m512i bytes;
        __m512i digits;  ///< less '0'
    };
    template <std::size_t Groups>
    struct Sums {
        static constexpr std::size_t kGroups = Groups;
        __m512i digits[Groups];
        __m512i greatest[Groups];
        __m512i wrong;
    };

    TICK_INLINE static __m512i all(char byte) { return _mm512_set1_epi8(byte); }
    TICK_INLINE static __m512i row(const void* bytes) { return _mm512_load_si512(bytes); }
    TICK_INLINE static __m512i less0(__m512i bytes) { return _mm512_sub_epi8(bytes, all('0')); }
    /// Without the last byte, which is what slots without a digit pick.
    TICK_INLINE static __m512i less0ButLast(__m512i bytes) {
        return _mm512_maskz_sub_epi8(_cvtu64_mask64(~std::uint64_t{0} >> 1U), bytes, all('0'));
    }

    template <bool Whole>
    TICK_INLINE static Block load(const char* p) {
        const __m512i bytes = _mm512_loadu_si512(p);
        return {bytes, Whole ? less0(bytes) : less0ButLast(bytes)};
    }
    TICK_INLINE static std::uint64_t feeds(const Block& block) {
        return _cvtmask64_u64(_mm512_cmpeq_epi8_mask(block.digits, all('\n' - '0')));
    }
    template <std::uint8_t Most>
    TICK_INLINE static std::uint64_t above(const Block& block) {
        return _cvtmask64_u64(_mm512_cmpgt_epu8_mask(block.digits, all(Most)));
    }

    template <std::size_t N, class S>
    TICK_INLINE static void check(const Block& block, const TickShape& shape, S& sums) {
        constexpr int exclusiveOrThenAnd = 0x28;  // (a ^ b) & c
        const __m512i wrong =
            _mm512_ternarylogic_epi64(block.bytes, row(shape.literal.data() + N * TickShape::kBlock),
                                      row(shape.care.data() + N * TickShape::kBlock), exclusiveOrThenAnd);
        sums.wrong = _mm512_or_si512(sums.wrong, wrong);
    }

    template <bool Wide, bool Text, class S>
    TICK_INLINE static void add(const char* p, const Block& block, const TickShape& shape, S& sums,
                                std::uint8_t* clock) {
        addAll<Wide, Text>(p, block, shape, sums, clock, std::make_index_sequence<S::kGroups>{});
    }
    template <bool Wide, bool Text, class S, std::size_t... Gs>
    TICK_INLINE static void addAll(const char* p, const Block& block, const TickShape& shape, S& sums,
                                   std::uint8_t* clock, std::index_sequence<Gs...>) {
        (addGroup<Wide, Text, Gs>(p, block, shape, sums, clock), ...);
    }
    template <bool Wide, bool Text, std::size_t G, class S>
    TICK_INLINE static void addGroup(const char* p, const Block& block, const TickShape& shape, S& sums,
                                     std::uint8_t* clock) {
        const __m512i from = Wide ? less0ButLast(_mm512_loadu_si512(p + shape.windows[G])) : block.digits;
        const __m512i digits =
            _mm512_permutexvar_epi8(row(shape.gathered<std::uint8_t>() + G * TickShape::kBlock), from);
        sums.digits[G] = _mm512_add_epi8(sums.digits[G], digits);
        if constexpr (Text) {
            sums.greatest[G] = _mm512_max_epu8(sums.greatest[G], digits);
        }
        if constexpr (G == 0) {
            void* const to = clock;
            _mm_store_si128(static_cast<__m128i*>(to), _mm512_castsi512_si128(digits));
        }
    }

    template <class S>
    TICK_INLINE static void clear(S& sums) {
        for (std::size_t g = 0; g < S::kGroups; ++g) {
            sums.digits[g] = _mm512_setzero_si512();
            sums.greatest[g] = _mm512_setzero_si512();
        }
        sums.wrong = _mm512_setzero_si512();
    }
    template <class S>
    TICK_INLINE static bool literalsRight(const S& sums) {
        return _cvtmask8_u32(_mm512_test_epi64_mask(sums.wrong, sums.wrong)) == 0;
    }
    template <class S>
    TICK_INLINE static bool digitsRight(const S& sums) {
        __m512i greatest = sums.greatest[0];
        for (std::size_t g = 1; g < S::kGroups; ++g) {
            greatest = _mm512_max_epu8(greatest, sums.greatest[g]);
        }
        return _cvtmask64_u64(_mm512_cmpgt_epu8_mask(greatest, all(9))) == 0;
    }

    template <class S>
    TICK_INLINE static void commit(const S& sums, TickTally& tally) {
        for (std::size_t g = 0; g < S::kGroups; ++g) {
            std::uint16_t* const to = tally.digits.data() + g * TickShape::kBlock;
            addHalf(to, _mm512_castsi512_si256(sums.digits[g]));
            addHalf(to + TickShape::kBlock / 2, _mm512_extracti64x4_epi64(sums.digits[g], 1));
        }
    }
    TICK_INLINE static void addHalf(std::uint16_t* to, __m256i digits) {
        _mm512_store_si512(to, _mm512_add_epi16(_mm512_load_si512(to), _mm512_cvtepu8_epi16(digits)));
    }

    TICK_INLINE static void clocks(std::uint8_t* cells, std::size_t rows, TickTally& tally) {
        constexpr std::size_t atOnce = 8;
        const std::size_t padded = (rows + atOnce - 1) / atOnce * atOnce;
        for (std::size_t i = rows; i < padded; ++i) {
            std::memcpy(cells + 16 * i, cells, 16);
        }
        __m512i least = row(tally.leastClocks.data());
        __m512i most = row(tally.mostClocks.data());
        for (std::size_t i = 0; i < padded; i += atOnce) {
            const __m512i keys =
                _mm512_packus_epi16(nibbles(row(cells + 16 * i)), nibbles(row(cells + 16 * i + 64)));
            least = _mm512_min_epu64(least, keys);
            most = _mm512_max_epu64(most, keys);
        }
        _mm512_store_si512(tally.leastClocks.data(), least);
        _mm512_store_si512(tally.mostClocks.data(), most);
    }
    /// Two digits a byte, each byte in 16 bits.
    TICK_INLINE static __m512i nibbles(__m512i digits) {
        return _mm512_maddubs_epi16(digits, _mm512_set1_epi16(0x1001));
    }
};

bool runsHere() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

bool takes(const TickPlan& plan) {
    return TickShapeBook::takes(plan.layout, Avx512::kGathering);
}

std::unique_ptr<TickShapeBook> prepare(const TickPlan& plan) {
    return std::make_unique<TickShapeBook>(plan, Avx512::kGathering);
}

}  // namespace

extern const TickScanner avx512TickScanner;
const TickScanner avx512TickScanner{"avx512", "AVX-512 VBMI", runsHere, takes, prepare, scanByShapes<Avx512>};

}  // namespace mmapscope

#endif
