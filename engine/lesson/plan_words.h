// The words of a `run:` line, those of `mmapscope-cli run` where it has them:
//   study --sample bytes|ticks|zstd:SIZE --workload W[:parameters] --source S[:parameters] … [--rounds N]
//         [--warmup N] [--threads N] [--cache STATE] [--memory-cap BYTES] [--baseline S] [--trace-faults]
#pragma once

#include <string_view>

#include "core/result.h"
#include "lesson/lesson.h"

namespace mmapscope {

inline constexpr Bytes kLeastSample = mib(1);
inline constexpr Bytes kMostSample = gib(4);
inline constexpr unsigned kMostLessonRounds = 51;
/// Rounds of a study that names none.
inline constexpr unsigned kLessonRounds = 7;

/// Error: usage, naming the word, what is accepted and the nearest known one.
[[nodiscard]] Result<LessonStudy> parseLessonStudy(std::string_view words);

}  // namespace mmapscope
