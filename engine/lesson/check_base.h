// What the checks of a lesson share: its lines, the remarks on them, and the lesson that comes of it.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/front_matter.h"
#include "lesson/lesson_check.h"

namespace mmapscope {

using Names = std::initializer_list<std::string_view>;

inline constexpr std::string_view kRunLine = "{{run}}";

[[nodiscard]] bool isAmong(Names names, std::string_view name);
/// Small letters, digits and hyphens, at most 40.
[[nodiscard]] bool isLessonName(std::string_view text);

class CheckBase {
  public:
    explicit CheckBase(std::string_view text) : matter(readFrontMatter(text, remarks)) {}

    std::vector<LessonRemark> remarks;
    FrontMatter matter;
    Lesson lesson;
    bool runsKnown =
        false;  ///< else nothing is said about figures: what is wrong is already said, of the run

    void error(std::size_t line, std::string text);
    void warning(std::size_t line, std::string text);

    /// The value of a key that must be there; nullptr: it isn't, and was remarked on.
    [[nodiscard]] const FrontValue* needed(std::string_view key, std::string_view example);
    [[nodiscard]] const FrontValue* neededIn(const FrontEntry& entry, std::string_view key,
                                             std::string_view what);
    void onlyIn(const FrontEntry& entry, Names known, std::string_view what);
    [[nodiscard]] const std::vector<FrontEntry>& entriesOf(std::string_view key) const;
    [[nodiscard]] std::optional<double> number(const FrontValue& value, double least, double most);
    /// No entry is an error, a single one a warning.
    void enough(std::string_view key, std::string_view what);

    void figure(std::size_t line, std::string_view name, bool asNumber, const std::vector<LessonRun>& runs);
    /// Of a text that is shown after these runs.
    void placeholders(const FrontValue& value, const std::vector<LessonRun>& runs);
    /// Whether each {{ has its end; remarked on where not.
    [[nodiscard]] bool closed(std::string_view text, std::size_t line);
    void noPlaceholders(std::string_view text, std::size_t line);
};

/// question, kind and what belongs to it; the runs are known by then.
void checkPrediction(CheckBase& base);
/// After checkPrediction.
void checkWrongAnswers(CheckBase& base);

}  // namespace mmapscope
