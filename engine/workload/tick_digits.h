// Decimal digits eight at a time in a 64-bit word, for machines of either byte order.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace mmapscope {

inline constexpr std::array<std::uint64_t, 20> kPowersOfTen = [] {
    std::array<std::uint64_t, 20> powers{};
    std::uint64_t power = 1;
    for (auto& p : powers) {
        p = power;
        power *= 10;
    }
    return powers;
}();

/// The first byte at `p` becomes the lowest of the word.
[[nodiscard]] inline std::uint64_t loadWord(const char* p) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, p, sizeof word);
    if constexpr (std::endian::native == std::endian::big) {
        word = __builtin_bswap64(word);
    }
    return word;
}

/// How many bytes of the word, from the lowest, are '0'…'9'.
[[nodiscard]] inline unsigned digitRun(std::uint64_t word) noexcept {
    const std::uint64_t value = word ^ 0x3030303030303030U;  // a digit becomes 0…9, anything else at least 10
    const std::uint64_t over = (value & 0x7F7F7F7F7F7F7F7FU) + 0x7676767676767676U;  // bit 7 set from 10 up
    const std::uint64_t other = (value | over) & 0x8080808080808080U;
    return static_cast<unsigned>(std::countr_zero(other)) / 8;
}

/// The number eight digit bytes spell; high nibbles are ignored, so a zero byte counts as '0'.
[[nodiscard]] inline std::uint64_t eightDigits(std::uint64_t word) noexcept {
    word &= 0x0F0F0F0F0F0F0F0FU;
    word = (word * 10 + (word >> 8U)) & 0x00FF00FF00FF00FFU;
    word = (word * 100 + (word >> 16U)) & 0x0000FFFF0000FFFFU;
    return (word * 10000 + (word >> 32U)) & 0xFFFFFFFFU;
}

/// The number the lowest `count` (1…8) bytes spell.
[[nodiscard]] inline std::uint64_t leadingDigits(std::uint64_t word, unsigned count) noexcept {
    return eightDigits(word << (64 - 8 * count));
}

/// Longest number readDigits takes.
inline constexpr unsigned kMostDigits = 19;

/// Reads the digits at `p` and returns how many there are, without moving; more than kMostDigits gives
/// kMostDigits + 1 and no value. Looks at up to 8 bytes behind the digits.
[[nodiscard]] inline unsigned readDigits(const char* p, std::uint64_t& value) noexcept {
    const std::uint64_t first = loadWord(p);
    const unsigned firstCount = digitRun(first);
    if (firstCount < 8) [[likely]] {
        value = firstCount == 0 ? 0 : leadingDigits(first, firstCount);
        return firstCount;
    }
    value = eightDigits(first);
    const std::uint64_t second = loadWord(p + 8);
    const unsigned secondCount = digitRun(second);
    if (secondCount == 0) {
        return 8;
    }
    value = value * kPowersOfTen[secondCount] + leadingDigits(second, secondCount);
    if (secondCount < 8) {
        return 8 + secondCount;
    }
    const std::uint64_t third = loadWord(p + 16);
    const unsigned thirdCount = digitRun(third);
    if (thirdCount == 0) {
        return 16;
    }
    if (16 + thirdCount > kMostDigits) {
        return kMostDigits + 1;
    }
    value = value * kPowersOfTen[thirdCount] + leadingDigits(third, thirdCount);  // below 10^19, fits
    return 16 + thirdCount;
}

}  // namespace mmapscope
