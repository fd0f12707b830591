// A study as a file to take away.
#pragma once

#include <QString>
#include <string>
#include <string_view>

#include "core/result.h"
#include "report/formats.h"

namespace mmapscope {

/// "csv", "md", "json" …: the suffix a file of that format gets.
[[nodiscard]] QString exportSuffix(ReportFormat format);
/// Writes what was made of the study. Error: usage, where that would overwrite what the study read; failed,
/// with path and reason.
[[nodiscard]] Status exportStudy(const Study& study, std::string_view content, const std::string& path);

}  // namespace mmapscope
