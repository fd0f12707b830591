// A lesson's question, what can be answered, and the wrong answers that are explained.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "lesson/check_base.h"
#include "lesson/condition.h"
#include "probe/fields.h"

namespace mmapscope {
namespace {

void options(CheckBase& base) {
    auto& options = base.lesson.prediction.options;
    for (const Names only{"unit", "least", "most", "answer", "within"}; std::string_view name : only) {
        if (const FrontKey* key = base.matter.find(name)) {
            base.error(key->value.line, fmt::format("{} belongs to kind: number; remove it", name));
        }
    }
    for (const FrontEntry& entry : base.entriesOf("options")) {
        base.onlyIn(entry, {"name", "text", "when"}, "options");
        const FrontValue* name = base.neededIn(entry, "name", "options");
        const FrontValue* text = base.neededIn(entry, "text", "options");
        const FrontValue* when = base.neededIn(entry, "when", "options");
        if (name == nullptr || text == nullptr || when == nullptr) {
            continue;
        }
        const bool taken = std::any_of(options.begin(), options.end(),
                                       [&](const LessonOption& o) { return o.name == name->text; });
        if (!isLessonName(name->text) || taken) {
            base.error(name->line,
                       fmt::format("name \"{}\": small letters, digits and hyphens are needed, and no "
                                   "other option's name",
                                   printable(name->text)));
        }
        base.noPlaceholders(text->text, text->line);
        if (!options.empty() && options.back().when.empty() && base.runsKnown) {
            base.error(name->line, "an option after \"otherwise\" is never the answer; put it above");
        }
        LessonOption option{name->text, text->text, {}};
        if (base.runsKnown) {
            auto condition = parseCondition(when->text, base.lesson.runs);
            if (!condition) {
                base.error(when->line, "when: " + condition.error().message);
            } else {
                option.when = std::move(*condition);
            }
        }
        options.push_back(std::move(option));
    }
    const FrontKey* key = base.matter.find("options");
    if (key == nullptr || key->entries.size() < 2) {
        base.error(key == nullptr ? 1 : key->value.line,
                   "a choice needs two options or more; add entries \"- name: …\" with text and when");
    }
}

void numberAsked(CheckBase& base) {
    LessonPrediction& asked = base.lesson.prediction;
    if (const FrontKey* key = base.matter.find("options")) {
        base.error(key->value.line, "options belong to kind: choice; remove them");
    }
    constexpr double kMost = 1e15;
    if (const FrontValue* unit = base.needed("unit", "faults")) {
        asked.unit = unit->text;
    }
    const FrontValue* least = base.needed("least", "1");
    const FrontValue* most = base.needed("most", "100000");
    if (least != nullptr && most != nullptr) {
        asked.least = base.number(*least, 0, kMost).value_or(0);
        asked.most = base.number(*most, 0, kMost).value_or(kMost);
        if (asked.least >= asked.most) {
            base.error(most->line, "most is not above least; nothing could be predicted");
        }
    }
    if (const FrontValue* answer = base.needed("answer", "arm.mmap.minor_faults")) {
        base.figure(answer->line, answer->text, true, base.lesson.runs);
        asked.answer = answer->text;
    }
    if (const FrontKey* within = base.matter.find("within")) {
        asked.within = base.number(within->value, 1, 100).value_or(2);
    }
}

void meant(CheckBase& base, const FrontValue& when, WrongAnswer& wrong) {
    const LessonPrediction& asked = base.lesson.prediction;
    if (asked.kind == PredictionKind::number) {
        wrong.above = when.text == "above";
        wrong.below = when.text == "below";
        const std::size_t to = when.text.find(" to ");
        if (wrong.above || wrong.below) {
            return;
        }
        if (to == std::string::npos) {
            base.error(when.line, "when: above, below, or a range such as \"5 to 100\" is needed");
            return;
        }
        wrong.least = base.number({"when", when.text.substr(0, to), when.line}, 0, 1e15);
        wrong.most = base.number({"when", when.text.substr(to + 4), when.line}, 0, 1e15);
        if (wrong.least && wrong.most && *wrong.least > *wrong.most) {
            base.error(when.line, "when: the range ends below its beginning; turn it round");
        }
        return;
    }
    std::string_view rest = when.text;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(','), rest.size());
        const std::string name(trimmed(rest.substr(0, end)));
        const auto& options = asked.options;
        if (std::none_of(options.begin(), options.end(), [&](const auto& o) { return o.name == name; })) {
            base.error(when.line, fmt::format("when: there is no option \"{}\"", printable(name)));
        }
        wrong.options.push_back(name);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
}

}  // namespace

void checkPrediction(CheckBase& base) {
    LessonPrediction& asked = base.lesson.prediction;
    if (const FrontValue* question = base.needed("question", "How many faults will it take?")) {
        base.noPlaceholders(question->text, question->line);
        asked.question = question->text;
    }
    const FrontValue* kind = base.needed("kind", "choice");
    if (kind == nullptr) {
        return;
    }
    if (kind->text == "choice") {
        options(base);
    } else if (kind->text == "number") {
        asked.kind = PredictionKind::number;
        numberAsked(base);
    } else {
        base.error(kind->line, fmt::format("kind \"{}\": choice or number is needed", printable(kind->text)));
    }
}

void checkWrongAnswers(CheckBase& base) {
    for (const FrontEntry& entry : base.entriesOf("wrong")) {
        base.onlyIn(entry, {"when", "right", "not"}, "wrong");
        const FrontValue* when = base.neededIn(entry, "when", "wrong");
        const FrontValue* right = base.neededIn(entry, "right", "wrong");
        const FrontValue* wrong = base.neededIn(entry, "not", "wrong");
        if (when == nullptr || right == nullptr || wrong == nullptr) {
            continue;
        }
        WrongAnswer answer;
        answer.right = right->text;
        answer.wrong = wrong->text;
        base.placeholders(*right, base.lesson.runs);
        base.placeholders(*wrong, base.lesson.runs);
        meant(base, *when, answer);
        base.lesson.wrongAnswers.push_back(std::move(answer));
    }
    base.enough("wrong", "common wrong answers, each with what is right and what is not about it");
}

}  // namespace mmapscope
