// The names that stand for what was measured, in texts as {{name}} and in conditions as they are:
//   study.NAME, arm.ARM.NAME, and RUN.study.NAME, RUN.arm.ARM.NAME of a run that has a name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "lesson/lesson.h"
#include "lesson/lesson_results.h"

namespace mmapscope {

/// One measured value: as a number, in the unit that texts and conditions use, and in words.
struct LessonFigure {
    std::optional<double> number;
    std::string text;    ///< "1.31", "2,048", "64 KiB"; empty: not available
    std::string reason;  ///< why it isn't
};

struct FigureName {
    std::string_view name;  ///< the last word: "minor_faults"
    std::string_view help;  ///< with its unit
    bool ofArm = true;      ///< else of the study
    bool isNumber = true;   ///< else it has no place in a condition
};
[[nodiscard]] const std::vector<FigureName>& figureNames();

/// Whether these runs will have such a figure. Error: usage, with what is known.
[[nodiscard]] Status checkFigure(const std::vector<LessonRun>& runs, std::string_view name, bool asNumber);

[[nodiscard]] LessonFigure figureOf(const LessonResults& results, std::string_view name);

/// "2,048", "3.4": figures that have no unit of their own.
[[nodiscard]] std::string countWords(double value);

/// The names of the {{…}} in a text, in order.
[[nodiscard]] std::vector<std::string> placeholdersOf(std::string_view text);
/// The text with each {{name}} replaced by what was measured, or by "not available here", with the reason
/// where it is first said; in tables by a dash, whose reason then stands below.
[[nodiscard]] std::string filledText(std::string_view text, const LessonResults& results);

}  // namespace mmapscope
