// The study file: JSON, format "mmapscope-study", version 1.
#pragma once

#include <string>
#include <string_view>

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

/// Atomic write of any text; what saveStudy and every export use.
[[nodiscard]] Status writeFileAtomically(const std::string& path, std::string_view content);
/// Whether writeFileAtomically could work there now: asked before a long run. Removes what killed writers
/// left in that folder.
[[nodiscard]] Status checkWritable(const std::string& path);
/// Error: usage, when writing `path` would overwrite the measured file, by whatever name or link.
[[nodiscard]] Status checkKeepsMeasured(const std::string& path, const std::string& measured);
/// Whether both names lead to one file, be it there yet or not.
[[nodiscard]] bool isSameFile(const std::string& a, const std::string& b);
/// Whether writing again replaces what was written before: not so for a FIFO or a device.
[[nodiscard]] bool isReplacedWhenWritten(const std::string& path);

}  // namespace mmapscope
