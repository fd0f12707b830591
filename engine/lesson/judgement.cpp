#include "lesson/judgement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/text.h"
#include "lesson/condition.h"
#include "lesson/lesson_figures.h"
#include "probe/fields.h"

namespace mmapscope {
namespace {

Judgement judgeChoice(const Lesson& lesson, const Predicted& predicted, const LessonResults& results) {
    Judgement judged;
    for (const LessonOption& option : lesson.prediction.options) {
        const Holds held = holds(option.when, results);
        if (!held.value) {
            judged.reason = held.reason;
            return judged;
        }
        if (*held.value) {
            judged.right = option.name == predicted.option;
            judged.measured = option.text;
            return judged;
        }
    }
    judged.reason = "what was measured is none of the answers; the lesson has no option for it";
    return judged;
}

Judgement judgeNumber(const LessonPrediction& asked, const Predicted& predicted,
                      const LessonResults& results) {
    Judgement judged;
    const LessonFigure figure = figureOf(results, asked.answer);
    if (!figure.number) {
        judged.reason = figure.reason;
        return judged;
    }
    const double here = *figure.number;
    judged.measured = fmt::format("{} {}", countWords(here), asked.unit);
    judged.right = here > 0 && predicted.number > 0
                       ? std::max(here / predicted.number, predicted.number / here) <= asked.within
                       : here == predicted.number;
    return judged;
}

bool isMeant(const WrongAnswer& wrong, const Predicted& predicted, const std::optional<double>& here) {
    if (!wrong.options.empty()) {
        return std::find(wrong.options.begin(), wrong.options.end(), predicted.option) != wrong.options.end();
    }
    if (wrong.above || wrong.below) {
        return here && (wrong.above ? predicted.number > *here : predicted.number < *here);
    }
    return wrong.least && predicted.number >= *wrong.least && predicted.number <= *wrong.most;
}

}  // namespace

Result<Predicted> parsePrediction(const LessonPrediction& asked, std::string_view text) {
    text = trimmed(text);
    if (asked.kind == PredictionKind::choice) {
        std::vector<std::string> names;
        for (const LessonOption& option : asked.options) {
            if (option.name == text) {
                return Predicted{option.name, 0};
            }
            names.push_back(option.name);
        }
        return fail(ErrorKind::usage, fmt::format("\"{}\" is none of the answers; there are {}",
                                                  printable(text), fmt::join(names, ", ")));
    }
    std::string digits(text);
    digits.erase(std::remove(digits.begin(), digits.end(), ','), digits.end());
    double value = 0;
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || rest != digits.data() + digits.size() || !std::isfinite(value) ||
        value < asked.least || value > asked.most) {
        return fail(ErrorKind::usage,
                    fmt::format("\"{}\": a number of {} from {} to {} is asked for", printable(text),
                                asked.unit, countWords(asked.least), countWords(asked.most)));
    }
    return Predicted{{}, value};
}

std::string predictionWords(const LessonPrediction& asked, const Predicted& predicted) {
    if (asked.kind == PredictionKind::number) {
        return fmt::format("{} {}", countWords(predicted.number), asked.unit);
    }
    for (const LessonOption& option : asked.options) {
        if (option.name == predicted.option) {
            return option.text;
        }
    }
    return predicted.option;
}

Judgement judgePrediction(const Lesson& lesson, const Predicted& predicted, const LessonResults& results) {
    const LessonPrediction& asked = lesson.prediction;
    Judgement judged = asked.kind == PredictionKind::choice ? judgeChoice(lesson, predicted, results)
                                                            : judgeNumber(asked, predicted, results);
    if (judged.right != false) {
        return judged;
    }
    std::optional<double> here;
    if (asked.kind == PredictionKind::number) {
        here = figureOf(results, asked.answer).number;
    }
    for (const WrongAnswer& wrong : lesson.wrongAnswers) {
        if (isMeant(wrong, predicted, here)) {
            judged.help.push_back(&wrong);
        }
    }
    return judged;
}

}  // namespace mmapscope
