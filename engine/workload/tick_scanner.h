// The scanners: whole lines of tick CSV in, counts and exact sums out. All of them must agree in everything.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameters.h"
#include "core/result.h"
#include "core/wide.h"
#include "workload/tick_layout.h"
#include "workload/tick_schema.h"

namespace mmapscope {

/// A scanner may read this many bytes behind the end of the lines it is given (never use them).
inline constexpr std::size_t kTickPadding = 64;
/// A line with more bytes than this before its line feed is a rejected row.
inline constexpr std::size_t kMaxTickRow = std::size_t{64} << 10U;

/// Decimals are two integers: the whole part, and the fraction in units of 10^-18.
inline constexpr unsigned kFractionDigits = 18;

/// Why a row was rejected: the first thing wrong from the left, except that rowTooLong outranks all.
enum class TickFault : std::uint8_t {
    emptyLine,
    rowTooLong,
    tooFewColumns,
    tooManyColumns,
    emptyField,
    quotedField,
    carriageReturn,
    controlCharacter,
    notANumber,
    wholeTooLarge,
    fractionTooLong,
    timeTooLarge,
    timeTooFine,
    notAFlag,
    notASide
};

struct TickReject {
    std::uint64_t offset =
        std::numeric_limits<std::uint64_t>::max();  ///< of the row's first byte, in the file
    TickFault fault = TickFault::emptyLine;
    std::uint8_t column = 0;
};

/// A schema made ready for scanning. Slots number the sums: one for a whole number, two (whole, fraction) for
/// a decimal.
struct TickPlan {
    struct Step {
        TickKind kind = TickKind::text;
        TimeUnit unit = TimeUnit::byMagnitude;
        bool clock = false;  ///< the time column that gives first_time and last_time
        std::uint8_t slot = 0;
    };
    std::array<Step, kMaxTickColumns> steps{};
    std::size_t columns = 0;
    std::size_t sumCount = 0;
    bool hasClock = false;
    TickLayout layout;
};

[[nodiscard]] TickPlan makeTickPlan(const TickSchema& schema);

struct TickTotals {
    std::uint64_t rows = 0;
    std::uint64_t rejected = 0;
    TickReject firstReject;
    /// 63 bits a row and 2^64 rows fit in 127 bits, so no file can overflow them.
    std::array<Int128, 2 * kMaxTickColumns> sums{};
    std::int64_t firstTime = std::numeric_limits<std::int64_t>::max();  ///< earliest, ns since the epoch
    std::int64_t lastTime = std::numeric_limits<std::int64_t>::min();   ///< latest
    /// Empty lines since the last row: nothing at the end of a file, rejected rows when another row follows.
    std::uint64_t emptyLines = 0;
    std::uint64_t firstEmptyLine = 0;

    void reject(const TickReject& what) noexcept;
    void emptyLine(std::uint64_t offset) noexcept;
    /// To be called before a row is counted.
    void settleEmptyLines() noexcept;
    /// Adds what the next part of the same file gave.
    void append(const TickTotals& next) noexcept;
};

class TickShapeBook;

struct TickScanner {
    std::string_view name;
    std::string_view needs;  ///< instructions, in words; empty: none
    bool (*runsHere)();      ///< whether this CPU has them
    bool (*takes)(const TickPlan& plan);
    [[nodiscard]] bool supported(const TickPlan& plan) const { return runsHere() && takes(plan); }
    /// What it remembers from one call of scan to the next, for each thread its own; may be nullptr.
    std::unique_ptr<TickShapeBook> (*prepare)(const TickPlan& plan);
    /// Adds the lines of [begin, end) to `totals`. `end` follows a line feed, kTickPadding bytes behind it
    /// are readable, `offset` is begin's place in the file. `book` is from prepare(), for the same plan.
    void (*scan)(const TickPlan& plan, TickShapeBook* book, const char* begin, const char* end,
                 std::uint64_t offset, TickTotals& totals);
};

/// By the rules alone, one field after the other: what the others are held against. Takes every plan.
extern const TickScanner plainTickScanner;
/// The portable one as it is where a compiler knows no vectors.
extern const TickScanner wordTickScanner;

/// Fastest first; the last is the portable one, which takes every plan.
[[nodiscard]] const std::vector<const TickScanner*>& tickScanners();
/// The first that is supported.
[[nodiscard]] const TickScanner& bestTickScanner(const TickPlan& plan);

/// The parameter `scanner`: auto, or a scanner's name.
[[nodiscard]] const ParameterSpec& tickScannerSpec();
/// The one that the parameters name, the best one where they name none. Error: unavailable.
[[nodiscard]] Result<const TickScanner*> chosenTickScanner(const Parameters& parameters,
                                                           const TickPlan& plan);

/// One line at `row`, with the contract of TickScanner::scan, by the rules. Returns the next line.
const char* scanTickLine(const TickPlan& plan, const char* row, const char* end, std::uint64_t offset,
                         TickTotals& totals);

/// "column 2 (price): not a number".
[[nodiscard]] std::string describeReject(const TickSchema& schema, const TickReject& reject);

/// The exact decimal text of whole + fraction/10^18: no trailing zeros, no point without a fraction, no "-0".
[[nodiscard]] std::string decimalText(Int128 whole, Int128 fraction);

}  // namespace mmapscope
