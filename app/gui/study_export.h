// A study as a file to take away.
#pragma once

#include <QString>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "report/formats.h"
#include "study/side_by_side.h"

namespace mmapscope {

/// "csv", "md", "json" …: the suffix a file of that format gets.
[[nodiscard]] QString exportSuffix(ReportFormat format);
/// Writes what was made of the study. Error: usage, where that would overwrite what the study read; failed,
/// with path and reason.
[[nodiscard]] Status exportStudy(const Study& study, std::string_view content, const std::string& path);

/// A study that is compared, and where it was read; empty: it has no file.
struct ComparedFile {
    NamedStudy named;
    std::string path;
};
/// The same for what was made of several, whose own files are kept too.
[[nodiscard]] Status exportComparison(const std::vector<ComparedFile>& studies, std::string_view content,
                                      const std::string& path);

}  // namespace mmapscope
