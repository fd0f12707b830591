// Tables of a study for people and for other programs. C locale, '.' decimals, full precision where it is
// data.
#pragma once

#include <string>
#include <string_view>

#include "study/study.h"

namespace mmapscope {

/// One line: CPU, kernel, filesystem and device, cache state, versions.
[[nodiscard]] std::string environmentLine(const Study& study);
/// Fixed-width text for a terminal, with the outcome line and warnings.
[[nodiscard]] std::string studyToText(const Study& study);
[[nodiscard]] std::string studyToMarkdown(const Study& study);
/// RFC 4180, a header, one row per run.
[[nodiscard]] std::string runsToCsv(const Study& study);
/// RFC 4180, a header, one row per arm.
[[nodiscard]] std::string summaryToCsv(const Study& study);

struct SummaryTable;
/// Fixed-width text: two lines of titles, a line a row.
[[nodiscard]] std::string textTable(const SummaryTable& table);
[[nodiscard]] std::string markdownTable(const SummaryTable& table);
/// Outside text in a Markdown cell or paragraph, taken literally.
[[nodiscard]] std::string markdownText(const std::string& text);
/// A field of RFC 4180, in quotes where it needs them.
[[nodiscard]] std::string csvQuoted(std::string_view text);

}  // namespace mmapscope
