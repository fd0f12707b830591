#include "workload/word_sum.h"

#include <array>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace mmapscope {
namespace {

std::uint64_t loadWord(const std::byte* at) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    if constexpr (std::endian::native == std::endian::big) {
        word = __builtin_bswap64(word);
    }
    return word;
}

std::uint64_t sumPortable(const std::byte* first, std::size_t words) {
    // Four sums: one would make every addition wait for the one before.
    std::array<std::uint64_t, 4> sums{};
    std::size_t i = 0;
    for (; i + 4 <= words; i += 4) {
        for (std::size_t lane = 0; lane < 4; ++lane) {
            sums[lane] += loadWord(first + (i + lane) * 8);
        }
    }
    for (; i < words; ++i) {
        sums[0] += loadWord(first + i * 8);
    }
    return sums[0] + sums[1] + sums[2] + sums[3];
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) std::uint64_t sumAvx2(const std::byte* first, std::size_t words) {
    __m256i a = _mm256_setzero_si256();
    __m256i b = a;
    __m256i c = a;
    __m256i d = a;
    std::size_t i = 0;
    for (; i + 16 <= words; i += 16) {
        const std::byte* at = first + i * 8;
        a = _mm256_add_epi64(a, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
        b = _mm256_add_epi64(b, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 32)));
        c = _mm256_add_epi64(c, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 64)));
        d = _mm256_add_epi64(d, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 96)));
    }
    const __m256i all = _mm256_add_epi64(_mm256_add_epi64(a, b), _mm256_add_epi64(c, d));
    alignas(32) std::array<std::uint64_t, 4> lanes;
    _mm256_store_si256(reinterpret_cast<__m256i*>(lanes.data()), all);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3] + sumPortable(first + i * 8, words - i);
}

__attribute__((target("avx512f"))) std::uint64_t sumAvx512(const std::byte* first, std::size_t words) {
    __m512i a = _mm512_setzero_si512();
    __m512i b = a;
    __m512i c = a;
    __m512i d = a;
    std::size_t i = 0;
    for (; i + 32 <= words; i += 32) {
        const std::byte* at = first + i * 8;
        a = _mm512_add_epi64(a, _mm512_loadu_si512(at));
        b = _mm512_add_epi64(b, _mm512_loadu_si512(at + 64));
        c = _mm512_add_epi64(c, _mm512_loadu_si512(at + 128));
        d = _mm512_add_epi64(d, _mm512_loadu_si512(at + 192));
    }
    const __m512i all = _mm512_add_epi64(_mm512_add_epi64(a, b), _mm512_add_epi64(c, d));
    alignas(64) std::array<std::uint64_t, 8> lanes;
    _mm512_store_si512(lanes.data(), all);
    std::uint64_t sum = sumPortable(first + i * 8, words - i);
    for (const std::uint64_t lane : lanes) {
        sum += lane;
    }
    return sum;
}

#endif

constexpr std::array kSums = {
    WordSum{"portable", [] { return true; }, sumPortable},
#if defined(__x86_64__)
    WordSum{"avx2", [] { return __builtin_cpu_supports("avx2") != 0; }, sumAvx2},
    WordSum{"avx512", [] { return __builtin_cpu_supports("avx512f") != 0; }, sumAvx512},
#endif
};

}  // namespace

std::span<const WordSum> allWordSums() {
    return kSums;
}

const WordSum& bestWordSum() {
    for (std::size_t i = kSums.size(); i-- > 1;) {
        if (kSums[i].supported()) {
            return kSums[i];
        }
    }
    return kSums.front();
}

}  // namespace mmapscope
