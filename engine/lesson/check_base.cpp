#include "lesson/check_base.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/text.h"
#include "lesson/lesson_figures.h"
#include "lesson/markdown_rules.h"

namespace mmapscope {
namespace {

constexpr std::size_t kEnough = 2;  // wrong answers, and variations

}  // namespace

bool isAmong(Names names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool isLessonName(std::string_view text) {
    return !text.empty() && text.size() <= 40 && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
}

void CheckBase::error(std::size_t line, std::string text) {
    remarks.push_back({line, true, std::move(text)});
}
void CheckBase::warning(std::size_t line, std::string text) {
    remarks.push_back({line, false, std::move(text)});
}

const FrontValue* CheckBase::needed(std::string_view key, std::string_view example) {
    const FrontKey* found = matter.find(key);
    if (found == nullptr) {
        error(1, fmt::format("{} is missing; add a line such as \"{}: {}\"", key, key, example));
        return nullptr;
    }
    if (found->value.text.empty()) {
        error(found->value.line, fmt::format("{} is empty; write something such as \"{}\"", key, example));
        return nullptr;
    }
    return &found->value;
}

const FrontValue* CheckBase::neededIn(const FrontEntry& entry, std::string_view key, std::string_view what) {
    const FrontValue* found = valueOf(entry, key);
    if (found == nullptr || found->text.empty()) {
        error(found == nullptr ? entry.front().line : found->line,
              fmt::format("this entry of {} has no {}; add it below, indented", what, key));
        return nullptr;
    }
    return found;
}

void CheckBase::onlyIn(const FrontEntry& entry, Names known, std::string_view what) {
    for (const FrontValue& value : entry) {
        if (!isAmong(known, value.key)) {
            error(value.line, value.key.empty()
                                  ? fmt::format("an entry of {} begins with one of {}, and a colon", what,
                                                fmt::join(known, ", "))
                                  : fmt::format("{} has no \"{}\"; it has {}", what, printable(value.key),
                                                fmt::join(known, ", ")));
        }
    }
}

const std::vector<FrontEntry>& CheckBase::entriesOf(std::string_view key) const {
    static const std::vector<FrontEntry> kNone;
    const FrontKey* found = matter.find(key);
    return found == nullptr ? kNone : found->entries;
}

std::optional<double> CheckBase::number(const FrontValue& value, double least, double most) {
    char* end = nullptr;
    const double given = std::strtod(value.text.c_str(), &end);
    if (end == value.text.c_str() || *end != '\0' || !std::isfinite(given) || given < least || given > most) {
        error(value.line, fmt::format("{}: a number from {} to {} is needed, not \"{}\"", value.key,
                                      countWords(least), countWords(most), printable(value.text)));
        return std::nullopt;
    }
    return given;
}

void CheckBase::enough(std::string_view key, std::string_view what) {
    const FrontKey* found = matter.find(key);
    const std::size_t count = found == nullptr ? 0 : found->entries.size();
    if (count == 0) {
        error(found == nullptr ? 1 : found->value.line,
              fmt::format("{} is missing; a lesson has {} {}", key, kEnough, what));
    } else if (count < kEnough) {
        warning(found->value.line, fmt::format("{} has one entry; a lesson has {} {}", key, kEnough, what));
    }
}

void CheckBase::figure(std::size_t line, std::string_view name, bool asNumber,
                       const std::vector<LessonRun>& runs) {
    if (!runsKnown) {
        return;  // what is wrong is already said, of the run
    }
    if (auto known = checkFigure(runs, name, asNumber); !known) {
        error(line, known.error().message);
    }
}

void CheckBase::placeholders(const FrontValue& value, const std::vector<LessonRun>& runs) {
    if (closed(value.text, value.line)) {
        for (const std::string& name : placeholdersOf(value.text)) {
            figure(value.line, name, false, runs);
        }
    }
    const std::vector<std::string> line{value.text};
    checkMarkdown(line, value.line, remarks);
}

bool CheckBase::closed(std::string_view text, std::size_t line) {
    for (std::size_t at = text.find("{{"); at != std::string_view::npos; at = text.find("{{", at + 2)) {
        if (text.find("}}", at) > text.find("{{", at + 2) || text.find("}}", at) == std::string_view::npos) {
            error(line, "{{ has no }} behind it on the same line; close it");
            return false;
        }
    }
    return true;
}

void CheckBase::noPlaceholders(std::string_view text, std::size_t line) {
    if (!placeholdersOf(text).empty()) {
        error(line, fmt::format("{{{{{}}}}} is shown before the run, when nothing is measured yet; move it "
                                "below {}",
                                printable(placeholdersOf(text).front()), kRunLine));
    }
}

}  // namespace mmapscope
