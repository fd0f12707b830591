#include "lesson/lesson_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/nearest.h"
#include "core/text.h"
#include "lesson/check_base.h"
#include "lesson/lesson_figures.h"
#include "lesson/markdown_rules.h"
#include "lesson/plan_words.h"
#include "probe/fields.h"

namespace mmapscope {
namespace {

const Names kKeys{"id",   "title", "minutes", "run",    "also",   "question", "kind",       "options",
                  "unit", "least", "most",    "answer", "within", "wrong",    "variations", "sources"};
const Names kLists{"also", "options", "wrong", "variations", "sources"};
class Checker : private CheckBase {
  public:
    using CheckBase::CheckBase;

    LessonCheck check() {
        checkKeys();
        head();
        runs();
        checkPrediction(*this);
        checkWrongAnswers(*this);
        variations();
        sources();
        body();
        std::stable_sort(remarks.begin(), remarks.end(),
                         [](const LessonRemark& a, const LessonRemark& b) { return a.line < b.line; });
        const bool bad = std::any_of(remarks.begin(), remarks.end(),
                                     [](const LessonRemark& remark) { return remark.error; });
        return {bad ? std::nullopt : std::optional(std::move(lesson)), std::move(remarks)};
    }

  private:
    void checkKeys() {
        for (const FrontKey& key : matter.keys) {
            const std::string& name = key.value.key;
            if (!isAmong(kKeys, name)) {
                error(key.value.line,
                      fmt::format("unknown key \"{}\"{}; see mmapscope-cli lesson check --help",
                                  printable(name), didYouMean(name, kKeys)));
            } else if (isAmong(kLists, name) && !key.value.text.empty()) {
                error(key.value.line, fmt::format("{} is a list; write \"- …\" lines below it", name));
            } else if (!isAmong(kLists, name) && !key.entries.empty()) {
                error(key.value.line, fmt::format("{} has one value, on the same line", name));
            }
        }
    }

    void head() {
        if (const FrontValue* id = needed("id", "huge-pages")) {
            if (!isLessonName(id->text)) {
                error(id->line,
                      fmt::format("id \"{}\": small letters, digits and hyphens, at most 40, are needed",
                                  printable(id->text)));
            }
            lesson.id = id->text;
        }
        if (const FrontValue* title = needed("title", "TLB reach and what huge pages buy")) {
            lesson.title = title->text;
        }
        if (const FrontValue* minutes = needed("minutes", "5")) {
            lesson.minutes = static_cast<unsigned>(number(*minutes, 1, 120).value_or(1));
        }
    }

    std::optional<LessonRun> runOf(const FrontValue& value, std::string name) {
        auto study = parseLessonStudy(value.text);
        if (!study) {
            error(value.line, fmt::format("run: {}", study.error().message));
            return std::nullopt;
        }
        return LessonRun{std::move(name), std::move(*study)};
    }

    void runs() {
        constexpr std::string_view kExample = "study --sample bytes:64MiB --workload touch --source mmap";
        runsKnown = true;
        const auto add = [&](std::optional<LessonRun> run) {
            runsKnown = runsKnown && run;
            if (run) {
                lesson.runs.push_back(std::move(*run));
            }
        };
        const FrontValue* run = needed("run", kExample);
        add(run == nullptr ? std::nullopt : runOf(*run, ""));
        for (const FrontEntry& entry : entriesOf("also")) {
            onlyIn(entry, {"name", "run"}, "also");
            const FrontValue* name = neededIn(entry, "name", "also");
            const FrontValue* words = neededIn(entry, "run", "also");
            if (name == nullptr || words == nullptr) {
                runsKnown = false;
                continue;
            }
            const bool taken = std::any_of(lesson.runs.begin(), lesson.runs.end(),
                                           [&](const LessonRun& r) { return r.name == name->text; });
            if (!isLessonName(name->text) || taken || name->text == "arm" || name->text == "study") {
                error(name->line,
                      fmt::format("name \"{}\": small letters, digits and hyphens are needed, and no "
                                  "other run's name, \"arm\" or \"study\"",
                                  printable(name->text)));
            }
            add(runOf(*words, name->text));
        }
    }

    void variations() {
        for (const FrontEntry& entry : entriesOf("variations")) {
            onlyIn(entry, {"title", "run", "look"}, "variations");
            const FrontValue* title = neededIn(entry, "title", "variations");
            const FrontValue* words = neededIn(entry, "run", "variations");
            const FrontValue* look = neededIn(entry, "look", "variations");
            if (title == nullptr || words == nullptr || look == nullptr) {
                continue;
            }
            if (auto run = runOf(*words, "")) {
                placeholders(*look, {*run});
                lesson.variations.push_back({title->text, std::move(*run), look->text});
            }
        }
        enough("variations", "variations to try");
    }

    void sources() {
        const FrontKey* key = matter.find("sources");
        for (const FrontEntry& entry : entriesOf("sources")) {
            // "man: mmap(2)" would read as a key: it is words all the same.
            const FrontValue& value = entry.front();
            lesson.sources.push_back(value.key.empty() ? value.text : value.key + ": " + value.text);
        }
        if (lesson.sources.empty()) {
            error(key == nullptr ? 1 : key->value.line,
                  "sources are missing; name the manual pages and documents the text rests on");
        }
    }

    void body() {
        if (matter.keys.empty()) {
            return;  // no front matter: said
        }
        checkMarkdown(matter.body, matter.bodyLine, remarks);
        bool after = false;
        bool filled = false;
        for (std::size_t i = 0; i < matter.body.size(); ++i) {
            const std::string& line = matter.body[i];
            const std::size_t number = matter.bodyLine + i;
            if (trimmed(line) == kRunLine) {
                if (after) {
                    error(number, fmt::format("a second {}; a lesson has one", kRunLine));
                }
                after = true;
                continue;
            }
            const auto names = closed(line, number) ? placeholdersOf(line) : std::vector<std::string>();
            if (!after) {
                noPlaceholders(line, number);
            } else {
                for (const std::string& name : names) {
                    figure(number, name, false, lesson.runs);
                }
                filled = filled || !names.empty();
            }
            (after ? lesson.after : lesson.before) += line + '\n';
        }
        const std::size_t last = matter.bodyLine + matter.body.size();
        if (trimmed(lesson.before).empty()) {
            error(matter.bodyLine, "no text stands before the run; say what it is about");
        }
        if (!after) {
            error(last, fmt::format("the line {} is missing; put it where the run belongs", kRunLine));
        } else if (trimmed(lesson.after).empty()) {
            error(last, fmt::format("no explanation stands below {}", kRunLine));
        } else if (!filled) {
            warning(last, "the explanation holds no figure that was measured; use {{arm.ARM.NAME}}");
        }
    }
};

}  // namespace

LessonCheck checkLesson(std::string_view text) {
    if (text.size() > kLongestLesson) {
        return {std::nullopt,
                {{1, true,
                  fmt::format("the lesson is {} long and may be {}; is it one?",
                              formatBytes(Bytes(text.size())), formatBytes(Bytes(kLongestLesson)))}}};
    }
    if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
        const auto line = static_cast<std::size_t>(
            std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(zero), '\n'));
        return {std::nullopt, {{line + 1, true, "this is no text: it holds a zero byte"}}};
    }
    return Checker(text).check();
}

std::string remarkLines(const std::string& file, const std::vector<LessonRemark>& remarks) {
    std::string lines;
    for (const LessonRemark& remark : remarks) {
        lines += fmt::format("{}:{}: {}: {}\n", printable(file), remark.line,
                             remark.error ? "error" : "warning", remark.text);
    }
    return lines;
}

}  // namespace mmapscope
