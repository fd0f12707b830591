// Studies that were recorded for lessons, to stand in where a machine can't show the effect.
#pragma once

#include "lesson/lesson.h"
#include "lesson/lesson_results.h"

namespace mmapscope {

/// Where a main run of a built-in lesson couldn't be made, or arms of it were unavailable, the recorded study
/// of that run, as a whole and marked as such, if there is one; `reason` then says what is missing here.
[[nodiscard]] LessonResults withRecorded(const Lesson& lesson, LessonResults results);

/// Whether anything of it was recorded elsewhere.
[[nodiscard]] bool hasRecorded(const LessonResults& results);

}  // namespace mmapscope
