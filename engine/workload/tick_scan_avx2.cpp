// The scanner for CPUs with AVX2: the digits of each number are put into their places by a shuffle of sixteen
// bytes, two numbers at once.
#if defined(__x86_64__)

#include <immintrin.h>

#define TICK_TARGET target("avx2,bmi,bmi2,popcnt")
#include <cstring>

#include "workload/tick_rows.h"

namespace mmapscope {
namespace {

struct Avx2 {
    static constexpr std::size_t kVector = 32;
    static constexpr std::size_t kLines = TickRun::kMostLines;
    static constexpr TickGathering kGathering{2, 4, 1, TickLayout::kSlots, 0x80};

    struct Half {
        __m256i bytes;
        __m256i digits;  ///< less '0'
    };
    struct Block {
        Half low, high;
    };
    template <std::size_t Groups>
    struct Sums {
        static constexpr std::size_t kGroups = Groups;
        __m256i digits[Groups];
        __m256i greatest[Groups];
        __m256i wrong;
    };

    TICK_INLINE static __m256i all(std::uint8_t byte) { return _mm256_set1_epi8(static_cast<char>(byte)); }
    TICK_INLINE static __m256i load32(const void* bytes) {
        return _mm256_loadu_si256(static_cast<const __m256i*>(bytes));
    }
    TICK_INLINE static void store32(void* to, __m256i bytes) {
        _mm256_storeu_si256(static_cast<__m256i*>(to), bytes);
    }
    TICK_INLINE static __m128i load16(const void* bytes) {
        return _mm_loadu_si128(static_cast<const __m128i*>(bytes));
    }
    TICK_INLINE static std::uint64_t bits(__m256i low, __m256i high) {
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
               static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(high))) << kVector;
    }

    TICK_INLINE static Half half(const char* p) {
        const __m256i bytes = load32(p);
        return {bytes, _mm256_sub_epi8(bytes, all('0'))};
    }
    template <bool Whole>
    TICK_INLINE static Block load(const char* p) {
        return {half(p), half(p + kVector)};
    }
    TICK_INLINE static std::uint64_t feeds(const Block& block) {
        return bits(_mm256_cmpeq_epi8(block.low.bytes, all('\n')),
                    _mm256_cmpeq_epi8(block.high.bytes, all('\n')));
    }
    template <std::uint8_t Most>
    TICK_INLINE static std::uint64_t above(const Block& block) {
        const __m256i least = all(Most + 1);
        return bits(_mm256_cmpeq_epi8(_mm256_max_epu8(block.low.digits, least), block.low.digits),
                    _mm256_cmpeq_epi8(_mm256_max_epu8(block.high.digits, least), block.high.digits));
    }

    template <std::size_t N, class S>
    TICK_INLINE static void check(const Block& block, const TickShape& shape, S& sums) {
        const std::uint8_t* const literal = shape.literal.data() + N * TickShape::kBlock;
        const std::uint8_t* const care = shape.care.data() + N * TickShape::kBlock;
        const __m256i low =
            _mm256_and_si256(_mm256_xor_si256(block.low.bytes, load32(literal)), load32(care));
        const __m256i high = _mm256_and_si256(_mm256_xor_si256(block.high.bytes, load32(literal + kVector)),
                                              load32(care + kVector));
        sums.wrong = _mm256_or_si256(sums.wrong, _mm256_or_si256(low, high));
    }

    template <bool Wide, bool Text, class S>
    TICK_INLINE static void add(const char* p, const Block&, const TickShape& shape, S& sums,
                                std::uint8_t* clock) {
        addAll<Text>(p, shape, sums, clock, std::make_index_sequence<S::kGroups>{});
    }
    template <bool Text, class S, std::size_t... Gs>
    TICK_INLINE static void addAll(const char* p, const TickShape& shape, S& sums, std::uint8_t* clock,
                                   std::index_sequence<Gs...>) {
        (addGroup<Text, Gs>(p, shape, sums, clock), ...);
    }
    template <bool Text, std::size_t G, class S>
    TICK_INLINE static void addGroup(const char* p, const TickShape& shape, S& sums, std::uint8_t* clock) {
        const __m256i bytes =
            _mm256_inserti128_si256(_mm256_castsi128_si256(load16(p + shape.windows[2 * G])),
                                    load16(p + shape.windows[2 * G + 1]), 1);
        const __m256i picked =
            _mm256_shuffle_epi8(bytes, load32(shape.gathered<std::uint8_t>() + G * kVector));
        // Slots without a digit are 0 and stay it.
        const __m256i digits = _mm256_subs_epu8(picked, all('0'));
        sums.digits[G] = _mm256_add_epi8(sums.digits[G], digits);
        if constexpr (Text) {
            sums.greatest[G] = _mm256_max_epu8(sums.greatest[G], digits);
        }
        if constexpr (G == 0) {
            void* const to = clock;
            _mm_storeu_si128(static_cast<__m128i*>(to), _mm256_castsi256_si128(digits));
        }
    }

    template <class S>
    TICK_INLINE static void clear(S& sums) {
        for (std::size_t g = 0; g < S::kGroups; ++g) {
            sums.digits[g] = _mm256_setzero_si256();
            sums.greatest[g] = _mm256_setzero_si256();
        }
        sums.wrong = _mm256_setzero_si256();
    }
    template <class S>
    TICK_INLINE static bool literalsRight(const S& sums) {
        return _mm256_testz_si256(sums.wrong, sums.wrong) != 0;
    }
    template <class S>
    TICK_INLINE static bool digitsRight(const S& sums) {
        __m256i greatest = sums.greatest[0];
        for (std::size_t g = 1; g < S::kGroups; ++g) {
            greatest = _mm256_max_epu8(greatest, sums.greatest[g]);
        }
        const __m256i over = _mm256_subs_epu8(greatest, all(9));
        return _mm256_testz_si256(over, over) != 0;
    }

    template <class S>
    TICK_INLINE static void commit(const S& sums, TickTally& tally) {
        for (std::size_t g = 0; g < S::kGroups; ++g) {
            std::uint16_t* const to = tally.digits.data() + g * kVector;
            addHalf(to, _mm256_castsi256_si128(sums.digits[g]));
            addHalf(to + kVector / 2, _mm256_extracti128_si256(sums.digits[g], 1));
        }
    }
    TICK_INLINE static void addHalf(std::uint16_t* to, __m128i digits) {
        store32(to, _mm256_add_epi16(load32(to), _mm256_cvtepu8_epi16(digits)));
    }

    TICK_INLINE static void clocks(std::uint8_t* cells, std::size_t rows, TickTally& tally) {
        constexpr std::size_t atOnce = 8;
        constexpr std::size_t cell = TickLayout::kSlots;
        const std::size_t padded = (rows + atOnce - 1) / atOnce * atOnce;
        for (std::size_t i = rows; i < padded; ++i) {
            std::memcpy(cells + cell * i, cells, cell);
        }
        for (std::size_t i = 0; i < padded * cell; i += 2 * kVector) {
            const __m256i keys = _mm256_packus_epi16(nibbles(cells + i), nibbles(cells + i + kVector));
            const std::size_t turn = i / (2 * kVector) % 2 * 4;
            keepLeast(tally.leastClocks.data() + turn, keys);
            keepMost(tally.mostClocks.data() + turn, keys);
        }
    }
    /// Two digits a byte, each byte in 16 bits.
    TICK_INLINE static __m256i nibbles(const std::uint8_t* cells) {
        return _mm256_maddubs_epi16(load32(cells), _mm256_set1_epi16(0x1001));
    }
    /// Signed comparison orders them as unsigned when the highest bit is turned.
    TICK_INLINE static __m256i isAbove(__m256i a, __m256i b) {
        const __m256i highest = _mm256_set1_epi64x(INT64_MIN);
        return _mm256_cmpgt_epi64(_mm256_xor_si256(a, highest), _mm256_xor_si256(b, highest));
    }
    TICK_INLINE static void keepLeast(std::uint64_t* kept, __m256i keys) {
        const __m256i before = load32(kept);
        store32(kept, _mm256_blendv_epi8(before, keys, isAbove(before, keys)));
    }
    TICK_INLINE static void keepMost(std::uint64_t* kept, __m256i keys) {
        const __m256i before = load32(kept);
        store32(kept, _mm256_blendv_epi8(before, keys, isAbove(keys, before)));
    }
};

bool runsHere() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

bool takes(const TickPlan& plan) {
    return TickShapeBook::takes(plan.layout, Avx2::kGathering);
}

std::unique_ptr<TickShapeBook> prepare(const TickPlan& plan) {
    return std::make_unique<TickShapeBook>(plan, Avx2::kGathering);
}

}  // namespace

extern const TickScanner avx2TickScanner;
const TickScanner avx2TickScanner{"avx2", "AVX2 and BMI2", runsHere, takes, prepare, scanByShapes<Avx2>};

}  // namespace mmapscope

#endif
