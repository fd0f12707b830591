// A study as a file to take away.
#pragma once

#include <QString>
#include <string>

#include "core/result.h"
#include "study/study.h"

namespace mmapscope {

enum class ExportFormat { runsCsv, summaryCsv, markdown, json };

[[nodiscard]] std::string exportText(const Study& study, ExportFormat format);
/// "csv", "md", "json": the suffix a file of that format gets.
[[nodiscard]] QString exportSuffix(ExportFormat format);
/// Error: failed, with path and reason.
[[nodiscard]] Status exportStudy(const Study& study, ExportFormat format, const std::string& path);

}  // namespace mmapscope
