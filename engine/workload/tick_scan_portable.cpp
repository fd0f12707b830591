// The scanner for every CPU: by shapes as the vector scanners, with words of eight bytes. Only the bytes of a
// block are looked at with what the compiler may take for granted on x86-64.
#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define TICK_TARGET unused
#include "workload/tick_digits.h"
#include "workload/tick_rows.h"

namespace mmapscope {
namespace {

constexpr std::uint64_t all(std::uint8_t byte) {
    return byte * 0x0101010101010101U;
}
constexpr std::uint64_t kHighest = all(0x80);
constexpr std::uint64_t kOthers = all(0x7F);

/// Blocks as words.
struct WordBytes {
    static constexpr std::size_t kWord = 8;
    static constexpr std::size_t kWords = TickShape::kBlock / kWord;

    struct Block {
        std::array<std::uint64_t, kWords> words;
    };

    template <bool Whole>
    TICK_INLINE static Block load(const char* p) {
        Block block;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < kWords; ++i) {
            block.words[i] = loadWord(p + kWord * i);
        }
        return block;
    }
    /// A bit a byte: the highest ones of `mark` of each word.
    template <class Mark>
    TICK_INLINE static std::uint64_t bits(const Block& block, Mark mark) {
        std::uint64_t found = 0;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < kWords; ++i) {
            // The product moves bit 8 n to 56 + n.
            const std::uint64_t ones = (mark(block.words[i]) & kHighest) >> 7U;
            found |= ones * 0x0102040810204080U >> 56U << (kWord * i);
        }
        return found;
    }
    TICK_INLINE static std::uint64_t feeds(const Block& block) {
        return bits(block, [](std::uint64_t word) {
            const std::uint64_t other = word ^ all('\n');
            return ~(((other & kOthers) + kOthers) | other);  // set where the byte is 0
        });
    }
    /// Not from '0' to '0' + Most. Without their highest bits bytes don't carry into each other.
    template <std::uint8_t Most>
    TICK_INLINE static std::uint64_t above(const Block& block) {
        return bits(block, [](std::uint64_t word) {
            const std::uint64_t low = word & kOthers;
            return ~(low + all(0x80 - '0')) | (low + all(0x7F - '0' - Most)) | word;
        });
    }

    template <std::size_t N, class S>
    TICK_INLINE static void check(const Block& block, const TickShape& shape, S& sums) {
#pragma GCC unroll 8
        for (std::size_t i = 0; i < kWords; ++i) {
            const std::size_t at = N * TickShape::kBlock + kWord * i;
            sums.wrong |= (block.words[i] ^ wordAt(shape.literal, at)) & wordAt(shape.care, at);
        }
    }
    TICK_INLINE static std::uint64_t wordAt(const std::array<std::uint8_t, TickShape::kMostRow>& bytes,
                                            std::size_t at) {
        const void* const from = bytes.data() + at;
        return loadWord(static_cast<const char*>(from));
    }
};

#if defined(__SSE2__)
/// Blocks as vectors of SSE2.
struct VectorBytes {
    static constexpr std::size_t kVector = sizeof(__m128i);

    struct Block {
        __m128i quarters[TickShape::kBlock / kVector];
    };

    TICK_INLINE static __m128i every(std::uint8_t byte) { return _mm_set1_epi8(static_cast<char>(byte)); }
    TICK_INLINE static __m128i load16(const void* bytes) {
        return _mm_loadu_si128(static_cast<const __m128i*>(bytes));
    }
    template <bool Whole>
    TICK_INLINE static Block load(const char* p) {
        return {{load16(p), load16(p + kVector), load16(p + 2 * kVector), load16(p + 3 * kVector)}};
    }
    template <class Mark>
    TICK_INLINE static std::uint64_t bits(const Block& block, Mark mark) {
        const auto quarter = [&](std::size_t i) {
            return static_cast<std::uint64_t>(_mm_movemask_epi8(mark(block.quarters[i]))) << (kVector * i);
        };
        return quarter(0) | quarter(1) | quarter(2) | quarter(3);
    }
    TICK_INLINE static std::uint64_t feeds(const Block& block) {
        return bits(block, [](__m128i bytes) { return _mm_cmpeq_epi8(bytes, every('\n')); });
    }
    template <std::uint8_t Most>
    TICK_INLINE static std::uint64_t above(const Block& block) {
        return bits(block, [](__m128i bytes) {
            const __m128i digits = _mm_sub_epi8(bytes, every('0'));
            return _mm_cmpeq_epi8(_mm_max_epu8(digits, every(Most + 1)), digits);
        });
    }
    template <std::size_t N, class S>
    TICK_INLINE static void check(const Block& block, const TickShape& shape, S& sums) {
        const auto wrong = [&](std::size_t i) {
            const std::size_t at = N * TickShape::kBlock + kVector * i;
            return _mm_and_si128(_mm_xor_si128(block.quarters[i], load16(shape.literal.data() + at)),
                                 load16(shape.care.data() + at));
        };
        const __m128i all = _mm_or_si128(_mm_or_si128(wrong(0), wrong(1)), _mm_or_si128(wrong(2), wrong(3)));
        const auto right = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(all, _mm_setzero_si128())));
        sums.wrong |= right ^ 0xFFFFU;
    }
};
#endif

template <class Bytes>
struct Words : Bytes {
    static constexpr std::size_t kLines = 1;
    static constexpr TickGathering kGathering{2, 4, 0, 0, 0};
    static constexpr std::size_t kWord = 8;
    static constexpr std::size_t kLanesPerGroup = 4;

    template <std::size_t Groups>
    struct Sums {
        static constexpr std::size_t kLanes = Groups * kLanesPerGroup;
        std::array<std::uint64_t, kLanes> digits;
        std::uint64_t notDigits;
        std::uint64_t wrong;
    };

    template <bool Wide, bool Text, class S>
    TICK_INLINE static void add(const char* p, const typename Bytes::Block&, const TickShape& shape, S& sums,
                                std::uint8_t* clock) {
        const auto* const lanes = shape.gathered<TickLaneWord>();
#pragma GCC unroll 16
        for (std::size_t i = 0; i < S::kLanes; ++i) {
            const std::uint64_t digits = (loadWord(p + lanes[i].at) ^ all('0')) & lanes[i].mask;
            if constexpr (Text) {
                sums.notDigits |= digits + all(0x80 - 10);  // all below 0x80, as plain bytes are
            }
            const std::uint64_t lane = digits * lanes[i].factor;
            sums.digits[i] += lane;
            if (i < 2) {
                std::memcpy(clock + kWord * i, &lane, sizeof lane);
            }
        }
    }

    template <class S>
    TICK_INLINE static void clear(S& sums) {
        sums = {};
    }
    template <class S>
    TICK_INLINE static bool literalsRight(const S& sums) {
        return sums.wrong == 0;
    }
    template <class S>
    TICK_INLINE static bool digitsRight(const S& sums) {
        return (sums.notDigits & kHighest) == 0;
    }

    /// In memory, the digit of the least weight comes first.
    TICK_INLINE static std::uint64_t lowestFirst(std::uint64_t lane) {
        return std::endian::native == std::endian::little ? __builtin_bswap64(lane) : lane;
    }
    template <class S>
    TICK_INLINE static void commit(const S& sums, TickTally& tally) {
        for (std::size_t lane = 0; lane < S::kLanes; ++lane) {
            std::array<std::uint8_t, kWord> bySlot;
            const std::uint64_t sum = lowestFirst(sums.digits[lane]);
            std::memcpy(bySlot.data(), &sum, sizeof sum);
            std::uint16_t* const to = tally.digits.data() + kWord * lane;
            for (std::size_t slot = 0; slot < kWord; ++slot) {
                to[slot] = static_cast<std::uint16_t>(to[slot] + bySlot[slot]);
            }
        }
    }

    TICK_INLINE static void clocks(const std::uint8_t* cells, std::size_t rows, TickTally& tally) {
        Uint128 least = ~Uint128{0};
        Uint128 most = 0;
        for (std::size_t i = 0; i < rows; ++i) {
            std::array<std::uint64_t, 2> lanes;
            std::memcpy(lanes.data(), cells + sizeof lanes * i, sizeof lanes);
            const Uint128 clock =
                static_cast<Uint128>(__builtin_bswap64(lanes[1])) << 64U | __builtin_bswap64(lanes[0]);
            least = std::min(least, clock);
            most = std::max(most, clock);
        }
        tally.leastClocks[0] = std::min(tally.leastClocks[0], nibbles(least));
        tally.mostClocks[0] = std::max(tally.mostClocks[0], nibbles(most));
    }
    static std::uint64_t nibbles(Uint128 digits) {
        std::uint64_t found = 0;
        for (unsigned i = 0; i < TickLayout::kSlots; ++i) {
            found |= (static_cast<std::uint64_t>(digits >> (8 * i)) & 0xFU) << (4 * i);
        }
        return found;
    }
};

constexpr TickGathering kGathering = Words<WordBytes>::kGathering;

std::unique_ptr<TickShapeBook> prepare(const TickPlan& plan) {
    return TickShapeBook::takes(plan.layout, kGathering) ? std::make_unique<TickShapeBook>(plan, kGathering)
                                                         : nullptr;
}

template <class Bytes>
void scan(const TickPlan& plan, TickShapeBook* book, const char* begin, const char* end, std::uint64_t offset,
          TickTotals& totals) {
    const auto by = book == nullptr ? plainTickScanner.scan : scanByShapes<Words<Bytes>>;
    by(plan, book, begin, end, offset, totals);
}

bool always() {
    return true;
}
bool takesAll(const TickPlan&) {
    return true;
}

}  // namespace

#if !defined(__SSE2__)
using VectorBytes = WordBytes;
#endif

extern const TickScanner portableTickScanner;
const TickScanner portableTickScanner{"portable", "", always, takesAll, prepare, scan<VectorBytes>};
const TickScanner wordTickScanner{"words", "", always, takesAll, prepare, scan<WordBytes>};

}  // namespace mmapscope
