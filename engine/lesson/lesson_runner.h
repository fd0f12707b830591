// Runs the studies of a lesson on samples made for them, which are gone when it returns.
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>

#include "lesson/lesson.h"
#include "lesson/lesson_results.h"

namespace mmapscope {

struct LessonRunRequest {
    std::string folder;         ///< for samples; empty: the user's cache folder
    std::string workerProgram;  ///< from findWorkerProgram
};

struct LessonProgress {
    std::string doing;  ///< in words
    double fraction = 0;
};

/// Huge pages are reserved for the time where that is allowed and arms need them; else those arms say what
/// they lack. A study that can't be made leaves its reason. On stop it comes back with what is done (complete
/// false). Error: input, failed (no place for samples).
[[nodiscard]] Result<LessonResults> runLesson(std::span<const LessonRun> runs,
                                              const LessonRunRequest& request,
                                              const std::function<void(const LessonProgress&)>& progress,
                                              std::stop_token stop);

}  // namespace mmapscope
