// The study file: JSON, format "mmapscope-study", version 1.
#pragma once

#include <string>
#include <string_view>

#include "core/atomic_file.h"
#include "core/result.h"
#include "study/study.h"

namespace mmapscope {

[[nodiscard]] std::string studyToJson(const Study& study);
/// Unknown keys are ignored; a higher version, a wrong type, NaN or truncation is a clear error (input).
[[nodiscard]] Result<Study> studyFromJson(std::string_view json);

/// Written to a temporary file in the same folder, fsynced, renamed over. Error: failed, with path and
/// reason; the old file is then untouched and no temporary is left.
[[nodiscard]] Status saveStudy(const Study& study, const std::string& path);
[[nodiscard]] Result<Study> loadStudy(const std::string& path);

}  // namespace mmapscope
