// The study file: JSON, format "mmapscope-study", version 1; by the suffix .mmapscope compressed with zstd.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/atomic_file.h"
#include "core/result.h"
#include "study/study.h"

namespace mmapscope {

[[nodiscard]] std::string studyToJson(const Study& study);
/// Unknown keys are ignored; a higher version, a wrong type, NaN or truncation is a clear error (input).
/// `consumed`, where given, is told up to where the text isn't needed any more.
[[nodiscard]] Result<Study> studyFromJson(std::string_view json,
                                          const std::function<void(std::size_t)>& consumed = {});

/// What studies that are saved for people are called.
inline constexpr std::string_view kStudySuffix = ".mmapscope";
/// More text than that is refused: no study is, and a small compressed file can hold any amount.
inline constexpr Bytes kMostStudyText = gib(2);

/// A study's JSON as a file of that name holds it: compressed where it ends in kStudySuffix. Error: failed.
[[nodiscard]] Result<std::string> asStudyFile(std::string json, std::string_view path);

/// Written to a temporary file in the same folder, fsynced, renamed over. Error: failed, with path and
/// reason; the old file is then untouched and no temporary is left. As asStudyFile.
[[nodiscard]] Status saveStudy(const Study& study, const std::string& path);
/// Plain or compressed, told from the content.
[[nodiscard]] Result<Study> loadStudy(const std::string& path);

}  // namespace mmapscope
