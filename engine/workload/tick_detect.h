// Which schema a tick CSV has, found out from its first rows, with the reason in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/parameters.h"
#include "core/result.h"
#include "core/units.h"
#include "workload/tick_schema.h"

namespace mmapscope {

/// How much of a file detection looks at, and how many of its rows.
inline constexpr Bytes kTickHead = Bytes(1U << 20U);
inline constexpr std::size_t kTickHeadRows = 1000;

inline constexpr std::string_view kUtf8ByteOrderMark = "\xEF\xBB\xBF";

/// The beginning of a file (or of what a decoder makes of it).
struct TickHead {
    std::string_view bytes;
    bool whole = false;  ///< nothing follows
};

struct TickDetection {
    TickSchema schema;  ///< with the file's number of columns
    bool header = false;
    std::size_t rowsLooked = 0;
    std::size_t rowsFitting = 0;
    /// Other known schemas at least half of the first rows fit too. The choice between them: the most fitting
    /// rows, then the names in the header, then the order of knownTickSchemas().
    std::vector<std::string> alternatives;
    std::string reason;  ///< "all 1000 first rows fit and no other known schema does"
};

/// The parameters of the `ticks` workload: schema, header, columns.
[[nodiscard]] const std::vector<ParameterSpec>& tickParameterSpecs();

/// `parameters` as parseParameters leaves them. A schema that is named is obeyed whatever the rows are;
/// `auto` needs a known schema that at least half of the first rows fit, with times between 1990 and 2200.
/// Error: usage (a malformed schema), input (no schema fits; the first row is shown).
[[nodiscard]] Result<TickDetection> detectTicks(TickHead head, const Parameters& parameters);

/// The same, written back so that nothing is left to find out: schema, header=yes|no, columns, and, if it is
/// there, scanner. Error: also unavailable (a scanner this CPU doesn't have).
[[nodiscard]] Result<Parameters> resolveTicks(TickHead head, const Parameters& parameters);

/// The schema of resolved parameters.
[[nodiscard]] Result<TickSchema> tickSchemaOf(const Parameters& parameters);

/// "tick CSV, generic (time, price, size), no header: all 20 first rows fit and no other known schema does".
[[nodiscard]] std::string describeTicks(const TickDetection& detection);

}  // namespace mmapscope
