// Invented trades, written as rows of any known tick schema.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "corpus/random.h"

namespace mmapscope {

/// No row is longer.
inline constexpr std::size_t kMostRowBytes = 256;

/// A market whose price walks: the trades the rows tell of.
struct Market {
    explicit Market(std::uint64_t seed) noexcept : random(seed) {}

    Random random;
    std::uint64_t id = 4'200'000'000;
    std::uint64_t firstId = 5'100'000'000;  ///< aggregated trades: of the trades in them
    std::uint64_t lastId = 5'100'000'000;
    /// Ten seconds before 2025-01-01, when Binance's spot files went from ms to µs: a spot sample of more
    /// than about half a MiB has both.
    std::uint64_t timeUs = 1'735'689'590'000'000;
    std::uint64_t cents = 4'200'000;  ///< price in hundredths
    std::uint64_t sizeE5 = 0;         ///< amount in 10^-5
    bool buyerMaker = false;

    void advance() noexcept;
};

/// Writes the market's present trade at `out` (kMostRowBytes of room) and returns the end.
using RowWriter = char* (*)(char* out, Market& market);

/// nullptr for a schema this can't write: there is none among the known ones.
[[nodiscard]] RowWriter rowWriterFor(std::string_view schema);

}  // namespace mmapscope
