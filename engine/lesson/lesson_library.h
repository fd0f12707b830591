// The lessons that are built in.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "lesson/lesson.h"

namespace mmapscope {

struct LessonText {
    std::string_view file;  ///< its name in resources/lessons
    std::string_view text;
};
/// By the files' names.
[[nodiscard]] std::span<const LessonText> lessonTexts();

/// The studies of resources/lessons/recorded: "LESSON.json", "LESSON-RUN.json".
[[nodiscard]] std::span<const LessonText> recordedTexts();

/// In the order they are meant to be taken. A text with errors is left out: the tests hold that there is
/// none.
[[nodiscard]] const std::vector<Lesson>& builtInLessons();
/// nullptr: there is none of that id.
[[nodiscard]] const Lesson* findLesson(std::string_view id);

/// A lesson of the person's own. Error: input (unreadable), usage (its errors and warnings, each with file
/// and line).
[[nodiscard]] Result<Lesson> loadLesson(const std::string& path);
/// A lesson file's text. Error: input.
[[nodiscard]] Result<std::string> readLessonFile(const std::string& path);

}  // namespace mmapscope
