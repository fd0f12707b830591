// The scanner for CPUs with AVX-512 VBMI2: a row's delimiters are found with one comparison each, its numbers
// are brought into eight-byte lanes by one permutation and converted together. Whatever isn't the ordinary
// shape of the schema goes to the portable scanner, row by row, so that both agree.
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "workload/tick_columns_avx512.h"
#include "workload/tick_digits.h"
#include "workload/tick_scanner.h"

namespace mmapscope {
namespace {

using avx512::findColumns;
using avx512::kBlock;
using avx512::Row;

/// Lines are read in two places at once: one row's end must be known before the next one can begin, and two
/// such chains fill the gaps of each other. Not worth it for less than this.
constexpr std::size_t kWorthTwo = 8192;
/// How far ahead memory is asked for.
constexpr std::size_t kAhead = 4096;

/// The raw numbers that are times of one unit and fit 63 bits of nanoseconds.
struct TimeRange {
    std::uint64_t least = 0;
    std::uint64_t count = 0;
    std::uint64_t scale = 1;
};

TimeRange timeRange(std::uint64_t least, std::uint64_t end, std::uint64_t scale) {
    return {least, std::min<std::uint64_t>(end, INT64_MAX / scale) - least, scale};
}

TimeRange rangeOf(TimeUnit unit, std::uint64_t value) {
    constexpr std::uint64_t noEnd = UINT64_MAX;
    switch (unit) {
        case TimeUnit::seconds:
            return timeRange(0, noEnd, kPowersOfTen[9]);
        case TimeUnit::milliseconds:
            return timeRange(0, noEnd, kPowersOfTen[6]);
        case TimeUnit::microseconds:
            return timeRange(0, noEnd, kPowersOfTen[3]);
        case TimeUnit::nanoseconds:
            return timeRange(0, noEnd, 1);
        case TimeUnit::byMagnitude:
            break;
    }
    return value < kPowersOfTen[11]   ? timeRange(0, kPowersOfTen[11], kPowersOfTen[9])
           : value < kPowersOfTen[14] ? timeRange(kPowersOfTen[11], kPowersOfTen[14], kPowersOfTen[6])
           : value < kPowersOfTen[17] ? timeRange(kPowersOfTen[14], kPowersOfTen[17], kPowersOfTen[3])
                                      : timeRange(kPowersOfTen[17], noEnd, 1);
}

/// What the rows read in one place add up to. Where it reads is kept in a register instead: the next row's
/// place hangs on this one's length.
template <std::size_t Groups>
struct Reader {
    std::uint64_t rows = 0;
    std::int64_t firstTime = INT64_MAX;
    std::int64_t lastTime = INT64_MIN;
    std::array<TimeRange, TickLayout::kMostColumns> units{};
    alignas(64) std::array<std::array<std::uint64_t, TickLayout::kLanes>, Groups> sums{};
};

/// Eight digits a lane, the first one lowest, to their number.
MMAPSCOPE_AVX512_INLINE __m512i convert(__m512i digits) {
    const __m512i pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(0x010A));  // 10, 1
    const __m512i fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00010064));  // 100, 1
    const __m512i high = _mm512_mul_epu32(fours, _mm512_set1_epi64(10000));
    return _mm512_add_epi64(high, _mm512_srli_epi64(fours, 32));
}

MMAPSCOPE_AVX512_INLINE __m512i table(const TickLayout::PerByte& bytes) {
    return _mm512_load_si512(bytes.data());
}

/// The time of one column, in nanoseconds; false when it isn't one of the unit the rows before had.
inline bool readTime(const TickLayout::Time& time, const std::uint64_t* lanes, const TimeRange& unit,
                     std::int64_t& nanoseconds) {
    const std::uint64_t raw = lanes[time.high] * kPowersOfTen[8] + lanes[time.low];
    const std::uint64_t fraction = time.fraction == TickLayout::kNoLane ? 0 : lanes[time.fraction] * 10;
    nanoseconds = static_cast<std::int64_t>(raw * unit.scale + fraction);
    return raw - unit.least < unit.count;
}

/// Adds one row of the ordinary shape to the reader and returns its length; anything else adds nothing and is
/// 0.
template <std::size_t Groups, bool Text>
MMAPSCOPE_AVX512_INLINE std::size_t takeRow(const TickPlan& plan, const char* p, Reader<Groups>& reader) {
    const TickLayout& layout = plan.layout;
    Row row;
    if (!findColumns<Text>(p, plan.columns, row)) [[unlikely]] {
        return 0;
    }
    // Column 0 starts at 0, the others behind the end of the one before.
    const __m128i starts =
        _mm_add_epi8(_mm_bslli_si128(row.ends, 1), _mm_set_epi64x(0x0101010101010101, 0x0101010101010100));
    const __m128i whole = _mm_sub_epi8(row.anchors, starts);
    const __m128i behind = _mm_sub_epi8(row.ends, row.anchors);
    const auto column = [](const TickLayout::PerColumn& bytes) MMAPSCOPE_AVX512 {
        const void* const data = bytes.data();
        return _mm_load_si128(static_cast<const __m128i*>(data));
    };
    const unsigned bad =
        _cvtmask16_u32(
            _mm_cmpgt_epu8_mask(_mm_sub_epi8(whole, column(layout.leastWhole)), column(layout.wholeRange))) |
        _cvtmask16_u32(_mm_cmpgt_epu8_mask(behind, column(layout.mostBehind))) |
        _cvtmask16_u32(_mm_cmpeq_epi8_mask(behind, _mm_set1_epi8(1)));  // a point and nothing behind it
    if (bad != 0) [[unlikely]] {
        return 0;
    }
    const __m512i anchors = _mm512_broadcast_i32x4(row.anchors);
    const __m256i lengths =
        _mm256_inserti128_si256(_mm256_castsi128_si256(whole), _mm_subs_epu8(behind, _mm_set1_epi8(1)), 1);
    alignas(16) std::array<std::uint8_t, TickLayout::kMostColumns> startAt;
    alignas(16) std::array<std::uint8_t, TickLayout::kMostColumns> endAt;
    void* const startData = startAt.data();
    void* const endData = endAt.data();
    _mm_store_si128(static_cast<__m128i*>(startData), starts);
    _mm_store_si128(static_cast<__m128i*>(endData), row.ends);

    __m512i values[Groups];
    for (std::size_t g = 0; g < Groups; ++g) {
        const TickLayout::Group& group = layout.groups[g];
        const std::size_t window = startAt[group.firstColumn];
        if (endAt[group.lastColumn] - window > kBlock) [[unlikely]] {
            return 0;
        }
        const __m512i bytes = _mm512_loadu_si512(p + window);
        const __m512i anchor = _mm512_shuffle_epi8(anchors, table(group.column));
        const __m512i from = _mm512_sub_epi8(_mm512_add_epi8(anchor, table(group.offset)),
                                             _mm512_set1_epi8(static_cast<char>(window)));
        const __m512i length = _mm512_permutexvar_epi8(table(group.length), _mm512_castsi256_si512(lengths));
        const __mmask64 kept = _mm512_cmplt_epu8_mask(table(group.distance), length);
        const __m512i field = _mm512_maskz_permutexvar_epi8(kept, from, bytes);
        const __m512i digits = _mm512_mask_sub_epi8(field, kept, field, _mm512_set1_epi8('0'));
        if (_cvtmask64_u64(_mm512_mask_cmpgt_epu8_mask(_cvtu64_mask64(group.digitBytes), digits,
                                                       _mm512_set1_epi8(9))) != 0) [[unlikely]] {
            return 0;
        }
        values[g] = _mm512_maskz_mov_epi64(_cvtu32_mask8(group.digitLanes), convert(digits));
        if (group.wordLanes != 0) {
            const __m512i lower =
                _mm512_mask_or_epi64(field, _cvtu32_mask8(group.wordLanes), field, _mm512_set1_epi8(0x20));
            const __m512i word = _mm512_maskz_mov_epi8(kept, lower);
            const auto is = [&](std::size_t i) MMAPSCOPE_AVX512 {
                return _cvtmask8_u32(_mm512_cmpeq_epi64_mask(word, _mm512_load_si512(group.words[i].data())));
            };
            const unsigned yes = (is(0) | is(1)) & group.wordLanes;
            const unsigned no = (is(2) | is(3)) & group.wordLanes;
            if ((yes | no) != group.wordLanes) [[unlikely]] {
                return 0;
            }
            values[g] = _mm512_mask_mov_epi64(values[g], _cvtu32_mask8(yes), _mm512_set1_epi64(1));
        }
    }

    std::int64_t clock = 0;
    for (std::size_t i = 0; i < layout.timeCount; ++i) {
        const TickLayout::Time& time = layout.times[i];
        alignas(64) std::array<std::uint64_t, TickLayout::kLanes> lanes;
        _mm512_store_si512(lanes.data(), values[time.group]);
        std::int64_t nanoseconds = 0;
        if (!readTime(time, lanes.data(), reader.units[i], nanoseconds)) [[unlikely]] {
            reader.units[i] = rangeOf(time.unit, lanes[time.high] * kPowersOfTen[8] + lanes[time.low]);
            return 0;
        }
        clock = time.clock ? nanoseconds : clock;
    }
    if (layout.timeCount != 0) {
        reader.firstTime = std::min(reader.firstTime, clock);
        reader.lastTime = std::max(reader.lastTime, clock);
    }
    for (std::size_t g = 0; g < Groups; ++g) {
        auto* const sums = reader.sums[g].data();
        _mm512_store_si512(sums, _mm512_add_epi64(_mm512_load_si512(sums), values[g]));
    }
    ++reader.rows;
    return row.length;
}

template <std::size_t Groups>
void addTo(const TickPlan& plan, const Reader<Groups>& reader, TickTotals& totals) {
    totals.rows += reader.rows;
    totals.firstTime = std::min(totals.firstTime, reader.firstTime);
    totals.lastTime = std::max(totals.lastTime, reader.lastTime);
    for (std::size_t g = 0; g < Groups; ++g) {
        for (std::size_t i = 0; i < TickLayout::kLanes; ++i) {
            const TickLayout::Lane& lane = plan.layout.lanes[g][i];
            if (lane.summed) {
                totals.sums[lane.slot] += static_cast<Int128>(reader.sums[g][i]) * lane.scale;
            }
        }
    }
}

/// Where one reader's rows come from and where those it can't take go.
struct Lines {
    const char* begin;     ///< of all that is scanned
    std::uint64_t offset;  ///< of that, in the file
    const char* end;
    TickTotals* totals;
};

/// The next row as the portable scanner reads it, and those after it as long as empty lines wait for a row.
const char* takeSlowly(const TickPlan& plan, const char* p, const Lines& lines) {
    do {
        const auto at = static_cast<std::uint64_t>(p - lines.begin);
        p = scanTickLine(plan, p, lines.end, lines.offset + at, *lines.totals);
    } while (lines.totals->emptyLines != 0 && p < lines.end);
    return p;
}

template <std::size_t Groups, bool Text>
MMAPSCOPE_AVX512_INLINE const char* takeNext(const TickPlan& plan, const char* p, const Lines& lines,
                                             Reader<Groups>& reader) {
    _mm_prefetch(p + kAhead, _MM_HINT_T0);
    const std::size_t taken = takeRow<Groups, Text>(plan, p, reader);
    return taken != 0 ? p + taken : takeSlowly(plan, p, lines);
}

template <std::size_t Groups, bool Text>
MMAPSCOPE_AVX512 void takeRest(const TickPlan& plan, const char* p, const Lines& lines,
                               Reader<Groups>& reader) {
    while (p < lines.end) {
        p = takeNext<Groups, Text>(plan, p, lines, reader);
    }
}

template <std::size_t Groups, bool Text>
MMAPSCOPE_AVX512 void scanRows(const TickPlan& plan, const char* begin, const char* end, std::uint64_t offset,
                               TickTotals& totals) {
    const auto length = static_cast<std::size_t>(end - begin);
    const char* middle = end;
    if (length >= kWorthTwo) {
        const auto* feed =
            static_cast<const char*>(std::memchr(begin + length / 2, '\n', length - length / 2));
        middle = feed + 1;  // the range ends with a line feed
    }
    TickTotals later;
    const Lines firstLines{begin, offset, middle, &totals};
    const Lines laterLines{begin, offset, end, &later};
    Reader<Groups> first;
    for (std::size_t i = 0; i < plan.layout.timeCount; ++i) {
        first.units[i] = rangeOf(plan.layout.times[i].unit, 0);
    }
    Reader<Groups> second = first;
    const char* p = begin;
    const char* q = middle;
    if (totals.emptyLines != 0 && p < middle) {
        p = takeSlowly(plan, p, firstLines);
    }
    while (p < middle && q < end) {
        p = takeNext<Groups, Text>(plan, p, firstLines, first);
        q = takeNext<Groups, Text>(plan, q, laterLines, second);
    }
    takeRest<Groups, Text>(plan, p, firstLines, first);
    addTo(plan, first, totals);
    if (middle != end) {
        takeRest<Groups, Text>(plan, q, laterLines, second);
        addTo(plan, second, later);
        totals.append(later);
    }
}

template <std::size_t Groups>
void scanGroups(const TickPlan& plan, const char* begin, const char* end, std::uint64_t offset,
                TickTotals& totals) {
    if (plan.layout.hasText) {
        scanRows<Groups, true>(plan, begin, end, offset, totals);
    } else {
        scanRows<Groups, false>(plan, begin, end, offset, totals);
    }
}

void scan(const TickPlan& plan, const char* begin, const char* end, std::uint64_t offset,
          TickTotals& totals) {
    switch (plan.layout.groupCount) {
        case 1:
            return scanGroups<1>(plan, begin, end, offset, totals);
        case 2:
            return scanGroups<2>(plan, begin, end, offset, totals);
        case 3:
            return scanGroups<3>(plan, begin, end, offset, totals);
        default:
            return scanGroups<4>(plan, begin, end, offset, totals);
    }
}

bool supported(const TickPlan& plan) {
    return plan.layout.usable && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

}  // namespace

extern const TickScanner avx512TickScanner;
const TickScanner avx512TickScanner{"avx512", supported, scan};

}  // namespace mmapscope

#endif
