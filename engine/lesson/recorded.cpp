#include "lesson/recorded.h"

#include <algorithm>
#include <string>

#include "lesson/lesson_library.h"
#include "report/study_file.h"

namespace mmapscope {
namespace {

/// Why it can't be shown here; empty where it can.
std::string missingOf(const LessonMeasured& measured) {
    if (!measured.study) {
        return measured.reason;
    }
    for (const RunRecord& run : measured.study->runs) {
        if (run.status == RunStatus::unavailable) {
            return run.error;
        }
    }
    return {};
}

std::optional<Study> recordedStudy(const std::string& lesson, const std::string& run) {
    const std::string name = lesson + (run.empty() ? "" : "-" + run) + ".json";
    for (const LessonText& text : recordedTexts()) {
        if (text.file == name) {
            auto study = studyFromJson(text.text);
            return study ? std::optional(std::move(*study)) : std::nullopt;
        }
    }
    return std::nullopt;
}

}  // namespace

LessonResults withRecorded(const Lesson& lesson, LessonResults results) {
    const Lesson* const builtIn = findLesson(lesson.id);
    if (!results.complete || builtIn == nullptr || builtIn->after != lesson.after) {
        return results;  // a lesson of one's own may have the same id
    }
    for (LessonMeasured& measured : results.measured) {
        std::string missing = missingOf(measured);
        if (missing.empty()) {
            continue;
        }
        if (auto study = recordedStudy(lesson.id, measured.name)) {
            measured = {measured.name, std::move(*study), std::move(missing), true};
        }
    }
    return results;
}

bool hasRecorded(const LessonResults& results) {
    return std::any_of(results.measured.begin(), results.measured.end(),
                       [](const LessonMeasured& measured) { return measured.recorded; });
}

}  // namespace mmapscope
