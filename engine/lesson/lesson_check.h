// Reads a lesson and says, line by line, what is wrong with it.
//
// A lesson is a Markdown file with our own front matter: `key: value` lines, lists of words ("- word") and
// lists of entries ("- key: value" and deeper "key: value" lines), between two lines of "---". Lines that
// begin with
// "#" are remarks. Keys:
//   id, title, minutes
//   run: study --sample KIND:SIZE --workload W --source S … (see plan_words.h)
//   also: entries of name, run                 further studies of the same lesson
//   question, kind: choice | number
//   options: entries of name, text, when       choice; `when` is a condition, the last one may be "otherwise"
//   unit, least, most, answer, within          number; `answer` is the figure it is held against
//   wrong: entries of when, right, not         `when`: names of options; or "5 to 100", "above", "below"
//   variations: entries of title, run, look
//   sources: words
// Below it stands the text: what comes above a line "{{run}}" is shown before the run, what comes below after
// it, with {{figures}} filled in (see lesson_figures.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lesson/lesson.h"

namespace mmapscope {

struct LessonRemark {
    std::size_t line = 0;  ///< from 1
    bool error = true;     ///< else a warning
    std::string text;      ///< what, why, what to do
};

struct LessonCheck {
    std::optional<Lesson> lesson;       ///< absent: there are errors
    std::vector<LessonRemark> remarks;  ///< by line
};

/// Longer texts are refused.
inline constexpr std::size_t kLongestLesson = 256U << 10U;

[[nodiscard]] LessonCheck checkLesson(std::string_view text);

/// All errors and warnings as lines "FILE:LINE: error: …".
[[nodiscard]] std::string remarkLines(const std::string& file, const std::vector<LessonRemark>& remarks);

}  // namespace mmapscope
