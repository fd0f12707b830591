// Tick CSV schemas: what the columns of a file are called and how each is read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace mmapscope {

enum class TickKind : std::uint8_t {
    integer,  ///< signed 64-bit; summed
    decimal,  ///< sign, integer part of up to 19 digits (63 bits), up to 18 fractional digits; summed
    time,     ///< since the Unix epoch, never negative; the first such column gives first_time and last_time
    flag,     ///< true or false, any case; the true ones are counted
    side,     ///< B, S, buy, sell or unknown, any case; the buys are counted
    text,     ///< anything but quotes and control characters; not summed
    skip      ///< anything but quotes and line ends; not looked into
};

/// Unit of a time column. By magnitude: below 1e11 seconds, below 1e14 ms, below 1e17 µs, else ns. The ranges
/// hold every instant from March 1973 to 2262 once; a file may change its unit from one row to the next.
enum class TimeUnit : std::uint8_t { byMagnitude, seconds, milliseconds, microseconds, nanoseconds };

struct TickColumn {
    std::string name;
    TickKind kind = TickKind::text;
    TimeUnit unit = TimeUnit::byMagnitude;

    friend bool operator==(const TickColumn&, const TickColumn&) = default;
};

inline constexpr std::size_t kMaxTickColumns = 64;

/// A schema known by name. `columns` may be cut at the end down to `leastColumns`.
struct TickSchema {
    std::string name;
    std::vector<TickColumn> columns;
    std::size_t leastColumns = 0;
    bool usualHeader = false;
};

/// In the order of the reference table.
[[nodiscard]] const std::vector<TickSchema>& knownTickSchemas();
/// nullptr when there is none of that name.
[[nodiscard]] const TickSchema* findTickSchema(std::string_view name);

/// A known name, or "name:kind,name:kind…" with kinds int, decimal, time[:s|ms|us|ns], flag, side, text, skip
/// (its schema then has no name). Error: usage, naming what is wrong and what is accepted.
[[nodiscard]] Result<TickSchema> parseTickSchema(std::string_view text);

/// The first `count` columns. Precondition: leastColumns <= count <= columns.size().
[[nodiscard]] TickSchema withColumns(const TickSchema& schema, std::size_t count);

}  // namespace mmapscope
