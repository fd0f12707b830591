// Studies side by side, for people and for other programs. C locale, '.' decimals, full precision where it is
// data.
#pragma once

#include <string>
#include <vector>

#include "report/summary_table.h"
#include "study/side_by_side.h"

namespace mmapscope {

/// What the sides' machines and settings differ in, a row a fact. No rows: nothing that is known.
[[nodiscard]] SummaryTable differencesTable(const SideBySide& compared);

/// A row an arm: throughput on each side, and its change against the first with the verdict.
[[nodiscard]] SummaryTable comparisonTable(const SideBySide& compared);

/// What became of the arms; sides and arms that can't be compared, with the reason; where the intervals come
/// from. Each one line.
[[nodiscard]] std::vector<std::string> comparisonSentences(const SideBySide& compared);

[[nodiscard]] std::string comparisonToText(const SideBySide& compared);
[[nodiscard]] std::string comparisonToMarkdown(const SideBySide& compared);
/// RFC 4180, a header, a row for each arm and side.
[[nodiscard]] std::string comparisonToCsv(const SideBySide& compared);
/// {"sides":[{name, studies, refusal}], "differences":[{name, values[]}], "border", "arms":[{id,
/// sides:[{runs, bytes_per_second, ratio, ratio_low, ratio_high, confidence, p_value, verdict, reason}]}],
/// "sentences":[]}; what isn't known is null.
[[nodiscard]] std::string comparisonToJson(const SideBySide& compared);

}  // namespace mmapscope
