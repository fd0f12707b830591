// What the workloads that parse tick CSV share: how a file is looked at, cut and described, and what comes
// out.
#pragma once

#include <string>
#include <vector>

#include "workload/tick_scanner.h"
#include "workload/workload.h"

namespace mmapscope {

// As the members of WorkloadType of the same names; `parameters` hold schema, header and columns, others are
// let through.
[[nodiscard]] Result<Parameters> resolveTickFile(const FileFacts& file, const Parameters& parameters);
[[nodiscard]] Result<Bytes> fitTickLimit(const FileFacts& file, const Parameters&, Bytes limit);
[[nodiscard]] Result<std::vector<Range>> splitTickFile(const FileFacts& file, const Parameters&, Bytes limit,
                                                       unsigned threads);
[[nodiscard]] std::string describeTickFile(const FileFacts& file, const Parameters& parameters);

/// rows, rejected, first_reject{offset, reason} (when there is one), sums{column: exact decimal text},
/// first_time and last_time (when there is a row with a time: earliest and latest, nanoseconds since the Unix
/// epoch).
[[nodiscard]] Outcome tickOutcome(const TickSchema& schema, const TickTotals& totals);

}  // namespace mmapscope
