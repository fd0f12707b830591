// Conditions of a lesson: "arm.mmap.minor_faults < 2 * study.pages and arm.mmap.ratio > 1".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "lesson/lesson.h"
#include "lesson/lesson_results.h"

namespace mmapscope {

/// Error: usage, naming the part that is not understood, or a figure the runs don't have. "otherwise" holds
/// always.
[[nodiscard]] Result<LessonCondition> parseCondition(std::string_view text,
                                                     const std::vector<LessonRun>& runs);

struct Holds {
    std::optional<bool> value;
    std::string reason;  ///< why it can't be told
};
[[nodiscard]] Holds holds(const LessonCondition& condition, const LessonResults& results);

}  // namespace mmapscope
