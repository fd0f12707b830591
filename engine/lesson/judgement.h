// A prediction held against what was measured.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "lesson/lesson.h"
#include "lesson/lesson_results.h"

namespace mmapscope {

/// What a learner said before the run.
struct Predicted {
    std::string option;  ///< choice: its name
    double number = 0;   ///< number
};

/// From an option's name, or a number ("2,048" and "2048"). Error: usage, with what is accepted.
[[nodiscard]] Result<Predicted> parsePrediction(const LessonPrediction& prediction, std::string_view text);
/// Back in words: the option's text, or the number with its unit.
[[nodiscard]] std::string predictionWords(const LessonPrediction& prediction, const Predicted& predicted);

struct Judgement {
    std::optional<bool> right;  ///< absent: `reason` says why it can't be told here
    std::string measured;       ///< what happened, in the words of the prediction
    std::string reason;
    std::vector<const WrongAnswer*> help;  ///< of the lesson: what is right and wrong about the prediction
};
/// The lesson outlives it.
[[nodiscard]] Judgement judgePrediction(const Lesson& lesson, const Predicted& predicted,
                                        const LessonResults& results);

}  // namespace mmapscope
