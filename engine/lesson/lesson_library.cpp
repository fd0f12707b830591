#include "lesson/lesson_library.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/text.h"
#include "core/unique_fd.h"
#include "lesson/lesson_check.h"

namespace mmapscope {

const std::vector<Lesson>& builtInLessons() {
    static const std::vector<Lesson> kLessons = [] {
        std::vector<Lesson> lessons;
        for (const LessonText& text : lessonTexts()) {
            if (auto checked = checkLesson(text.text); checked.lesson) {
                lessons.push_back(std::move(*checked.lesson));
            }
        }
        return lessons;
    }();
    return kLessons;
}

const Lesson* findLesson(std::string_view id) {
    const auto& all = builtInLessons();
    const auto it =
        std::find_if(all.begin(), all.end(), [&](const Lesson& lesson) { return lesson.id == id; });
    return it == all.end() ? nullptr : &*it;
}

Result<std::string> readLessonFile(const std::string& path) {
    // Not blocking: a FIFO would wait for a writer that may never come.
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat facts {};
    if (!file || ::fstat(file.get(), &facts) != 0) {
        return failErrno(ErrorKind::input, printable(path), errno);
    }
    if (!S_ISREG(facts.st_mode)) {
        return fail(ErrorKind::input, printable(path) + " is no plain file; name a lesson's Markdown file");
    }
    std::string text(kLongestLesson + 1, '\0');
    std::size_t length = 0;
    while (length < text.size()) {
        const ssize_t got = ::read(file.get(), text.data() + length, text.size() - length);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return failErrno(ErrorKind::input, printable(path), errno);
        }
        if (got == 0) {
            break;
        }
        length += static_cast<std::size_t>(got);
    }
    text.resize(length);
    return text;
}

Result<Lesson> loadLesson(const std::string& path) {
    const auto text = readLessonFile(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    LessonCheck checked = checkLesson(*text);
    if (!checked.lesson) {
        std::string lines = remarkLines(path, checked.remarks);
        lines.pop_back();
        return fail(ErrorKind::usage, std::move(lines));
    }
    return std::move(*checked.lesson);
}

}  // namespace mmapscope
