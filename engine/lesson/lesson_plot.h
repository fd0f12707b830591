// What of a lesson's results is drawn: the figure that was asked for, of every arm.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lesson/judgement.h"
#include "lesson/lesson.h"
#include "lesson/lesson_results.h"

namespace mmapscope {

struct LessonBar {
    std::string label;  ///< "mmap", "small: mmap"
    int arm = 0;        ///< for its colour: the same arm of several runs has the same
    std::optional<double> value;
    std::string text;  ///< "1,025"; where there is no value, why
};

struct LessonPlot {
    std::string title;  ///< what is drawn, with its unit
    std::vector<LessonBar> bars;
    std::optional<double> predicted;  ///< a number
    std::string predictedText;        ///< in words, of either kind; empty: nothing was predicted
};

[[nodiscard]] LessonPlot lessonPlot(const Lesson& lesson, const std::optional<Predicted>& predicted,
                                    const LessonResults& results);
/// The same figure of a variation's run.
[[nodiscard]] LessonPlot variationPlot(const Lesson& lesson, const LessonResults& results);

}  // namespace mmapscope
