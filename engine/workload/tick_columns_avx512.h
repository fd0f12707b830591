// Where the columns of a row end, found with AVX-512: for the scanner that includes it alone.
#pragma once

#include <immintrin.h>

#include <array>
#include <cstddef>
#include <cstdint>

// GCC 12 takes the deliberately undefined registers of its own AVX-512 header for mistakes of ours.
#pragma GCC diagnostic ignored "-Wuninitialized"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#define MMAPSCOPE_AVX512 \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,bmi,bmi2,popcnt")))
#define MMAPSCOPE_AVX512_INLINE MMAPSCOPE_AVX512 inline __attribute__((always_inline))

namespace mmapscope::avx512 {

constexpr std::size_t kBlock = 64;

/// Where a row's columns end, and its numbers' points.
struct Row {
    __m128i ends;
    __m128i anchors;
    std::size_t length;  ///< with its line feed
};

MMAPSCOPE_AVX512_INLINE std::uint64_t equals(__m512i block, char byte) {
    return _cvtmask64_u64(_mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(byte)));
}

/// Bytes no text may hold.
MMAPSCOPE_AVX512_INLINE std::uint64_t unfitForText(__m512i block) {
    return _cvtmask64_u64(_mm512_cmplt_epu8_mask(block, _mm512_set1_epi8(0x20))) | equals(block, 0x7F) |
           equals(block, '"');
}

alignas(64) constexpr std::array<std::uint8_t, 64> kIota = [] {
    std::array<std::uint8_t, 64> iota{};
    for (std::size_t i = 0; i < iota.size(); ++i) {
        iota[i] = static_cast<std::uint8_t>(i);
    }
    return iota;
}();

MMAPSCOPE_AVX512_INLINE __m128i positions(std::uint64_t mask, __m512i iota) {
    return _mm512_castsi512_si128(_mm512_maskz_compress_epi8(_cvtu64_mask64(mask), iota));
}

/// False when the row isn't of the plan's shape or longer than two blocks.
template <bool Text>
MMAPSCOPE_AVX512_INLINE bool findColumns(const char* p, std::size_t columns, Row& row) {
    const __m512i first = _mm512_loadu_si512(p);
    const std::uint64_t feeds = equals(first, '\n');
    std::uint64_t commas = equals(first, ',');
    std::uint64_t points = equals(first, '.');
    std::uint64_t unfit = Text ? unfitForText(first) : 0;
    std::uint64_t moreCommas = 0;
    std::uint64_t morePoints = 0;
    std::size_t feed = 0;
    if (feeds != 0) [[likely]] {
        const std::uint64_t inRow = _blsmsk_u64(feeds);
        feed = _tzcnt_u64(feeds);
        commas &= inRow;
        points &= inRow;
        unfit &= inRow;
    } else {
        const __m512i second = _mm512_loadu_si512(p + kBlock);
        const std::uint64_t moreFeeds = equals(second, '\n');
        if (moreFeeds == 0) {
            return false;
        }
        const std::uint64_t inRow = _blsmsk_u64(moreFeeds);
        feed = kBlock + _tzcnt_u64(moreFeeds);
        moreCommas = equals(second, ',') & inRow;
        morePoints = equals(second, '.') & inRow;
        if constexpr (Text) {
            // What the line's end is allowed to be is taken out below; one of the second block stands for
            // itself.
            const std::uint64_t moreUnfit =
                unfitForText(second) & inRow & ~(std::uint64_t{1} << (feed - kBlock));
            const bool windows = feed > kBlock && p[feed - 1] == '\r';
            if ((moreUnfit & ~(windows ? std::uint64_t{1} << (feed - 1 - kBlock) : 0)) != 0) {
                return false;
            }
        }
    }
    const std::size_t lineEnd = feed - (feed > 0 && p[feed - 1] == '\r' ? 1 : 0);
    if constexpr (Text) {
        const std::uint64_t ending = feed < kBlock ? std::uint64_t{1} << feed : 0;
        const std::uint64_t before = lineEnd < kBlock ? std::uint64_t{1} << lineEnd : 0;
        if ((unfit & ~(ending | before)) != 0) {
            return false;
        }
    }
    // The line's end stands for the last column's delimiter.
    commas |= lineEnd < kBlock ? std::uint64_t{1} << (lineEnd % kBlock) : 0;
    moreCommas |= lineEnd < kBlock ? 0 : std::uint64_t{1} << (lineEnd % kBlock);
    const auto inFirst = static_cast<std::size_t>(_mm_popcnt_u64(commas));
    if (inFirst + static_cast<std::size_t>(_mm_popcnt_u64(moreCommas)) != columns) {
        return false;
    }

    // Delimiters (1) and points (0) in the order they come; then, for each delimiter, whether a point is
    // before it.
    const std::uint64_t both = commas | points;
    const std::uint64_t moreBoth = moreCommas | morePoints;
    const auto bothCount = static_cast<std::size_t>(_mm_popcnt_u64(both));
    const std::size_t allCount = bothCount + static_cast<std::size_t>(_mm_popcnt_u64(moreBoth));
    if (allCount >= kBlock) {
        return false;
    }
    const std::uint64_t order = _pext_u64(commas, both) | _pext_u64(moreCommas, moreBoth) << bothCount;
    const std::uint64_t pointOrder = ~order & ((std::uint64_t{1} << allCount) - 1);
    const std::uint64_t hasPoint = _pext_u64(pointOrder << 1U, order);
    if (static_cast<std::size_t>(_mm_popcnt_u64(hasPoint)) != allCount - columns) {
        return false;  // two points in one field
    }

    const __m512i iota = _mm512_load_si512(kIota.data());
    __m128i ends = positions(commas, iota);
    __m128i found = positions(points, iota);
    if (feeds == 0) {
        const __m512i further = _mm512_add_epi8(iota, _mm512_set1_epi8(kBlock));
        const auto pointsInFirst = static_cast<std::size_t>(_mm_popcnt_u64(points));
        ends = _mm_mask_expand_epi8(ends, _cvtu32_mask16(0xFFFFU << inFirst), positions(moreCommas, further));
        found = _mm_mask_expand_epi8(found, _cvtu32_mask16(0xFFFFU << pointsInFirst),
                                     positions(morePoints, further));
    }
    row.ends = ends;
    row.anchors = _mm_mask_expand_epi8(ends, _cvtu32_mask16(static_cast<unsigned>(hasPoint)), found);
    row.length = feed + 1;
    return true;
}

}  // namespace mmapscope::avx512
