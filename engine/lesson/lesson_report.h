// A lesson as text: what is read before, what came of it, and a notebook's page to hand in.
#pragma once

#include <optional>
#include <string>

#include "lesson/judgement.h"
#include "lesson/lesson.h"
#include "lesson/lesson_results.h"

namespace mmapscope {

/// Title, text before the run, question and what can be answered: Markdown.
[[nodiscard]] std::string lessonBefore(const Lesson& lesson);

/// What was predicted, what happened, what is right and wrong about it: Markdown. Without a prediction only
/// what happened.
[[nodiscard]] std::string lessonJudged(const Lesson& lesson, const std::optional<Predicted>& predicted,
                                       const LessonResults& results);
/// The explanation with its figures, sources and, where something was recorded elsewhere, a line that says
/// so.
[[nodiscard]] std::string lessonAfter(const Lesson& lesson, const LessonResults& results);

/// A variation's run: what to look at, and its figures as a table.
[[nodiscard]] std::string variationAfter(const LessonVariation& variation, const LessonResults& results);

/// The tables of what was measured: Markdown.
[[nodiscard]] std::string lessonTables(const LessonResults& results);

/// A page of a notebook: question, prediction, figures, explanation, own words, environment: Markdown.
[[nodiscard]] std::string lessonNotebook(const Lesson& lesson, const std::optional<Predicted>& predicted,
                                         const LessonResults& results, const std::string& ownWords);

}  // namespace mmapscope
