// A sweep for people: a row a size, a column an arm, and where verdicts change.
#pragma once

#include <string>
#include <vector>

#include "report/summary_table.h"

namespace mmapscope {

/// Throughput by size: of the baseline as it is, of the others with their ratio and verdict.
[[nodiscard]] SummaryTable sweepTable(const Study& sweep);
/// What explains it: minor and major faults and what came from storage, by size.
[[nodiscard]] SummaryTable sweepFaultTable(const Study& sweep);

/// Crossovers or their absence, how far it is, warnings; each one line.
[[nodiscard]] std::vector<std::string> sweepFindings(const Study& sweep);

[[nodiscard]] std::string sweepToText(const Study& sweep);
[[nodiscard]] std::string sweepToMarkdown(const Study& sweep);

}  // namespace mmapscope
