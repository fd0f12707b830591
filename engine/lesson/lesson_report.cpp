#include "lesson/lesson_report.h"

#include <fmt/format.h>

#include "core/text.h"
#include "lesson/lesson_figures.h"
#include "lesson/recorded.h"
#include "probe/fields.h"
#include "report/summary_table.h"
#include "report/tables.h"
#include "study/arm_figures.h"

namespace mmapscope {
namespace {

std::string ratioText(const ArmSummary& arm) {
    if (arm.verdict == Verdict::baseline) {
        return "1";
    }
    return arm.ratio && arm.ratioLow && arm.ratioHigh
               ? fmt::format("{:.2f} ({:.2f} to {:.2f})", *arm.ratio, *arm.ratioLow, *arm.ratioHigh)
               : kNoFigure;
}

std::string countOrNone(const std::optional<double>& value) {
    return value ? countWords(*value) : kNoFigure;
}

/// What a lesson speaks of; the whole table is the study's.
SummaryTable shortTable(const Study& study) {
    SummaryTable table;
    table.columns = {{"arm", "", false},        {"throughput", "", true}, {"ratio", "", true},
                     {"verdict", "", false},    {"run time", "", true},   {"minor faults", "", true},
                     {"major faults", "", true}};
    for (const ArmSummary& arm : study.summary) {
        const ArmFigures figures = figuresOf(study, arm.arm);
        const auto time = [](const std::optional<double>& ns) {
            return ns ? formatDuration(Nanoseconds(static_cast<std::int64_t>(*ns))) : std::string(kNoFigure);
        };
        table.rows.push_back({printable(study.arms[arm.arm].id),
                              arm.medianBytesPerSecond ? formatRate(*arm.medianBytesPerSecond) : kNoFigure,
                              ratioText(arm), std::string(name(arm.verdict)), time(figures.wallNs),
                              countOrNone(figures.minorFaults), countOrNone(figures.majorFaults)});
    }
    return table;
}

/// One line each: what is short of ranks, and what was warned of.
std::string remarksOf(const Study& study) {
    std::string out;
    for (const std::string& line : unrankedLines(study)) {
        out += fmt::format("- {}\n", markdownText(line));
    }
    for (const std::string& line : study.warnings) {
        out += fmt::format("- {}\n", markdownText(line));
    }
    return out.empty() ? out : "\n" + out;
}

std::string tableOf(const LessonMeasured& measured) {
    std::string out;
    if (!measured.name.empty()) {
        out += fmt::format("**{}**\n\n", measured.name);
    }
    if (!measured.study) {
        return out + fmt::format("Not available here: {}\n\n", markdownText(measured.reason));
    }
    if (measured.recorded) {
        out += fmt::format("Not available here: {}\n\n", markdownText(measured.reason));
        out += fmt::format("*Recorded on another machine: {}*\n\n",
                           markdownText(environmentLine(*measured.study)));
    }
    return out + markdownTable(shortTable(*measured.study)) + remarksOf(*measured.study) + "\n";
}

}  // namespace

std::string lessonBefore(const Lesson& lesson) {
    std::string out = fmt::format("# {}\n\n{}\n\n## Your prediction\n\n{}\n\n", lesson.title,
                                  trimmed(lesson.before), lesson.prediction.question);
    for (const LessonOption& option : lesson.prediction.options) {
        out += fmt::format("- **{}**: {}\n", option.name, option.text);
    }
    if (lesson.prediction.kind == PredictionKind::number) {
        out += fmt::format("A number of {}, from {} to {}.\n", lesson.prediction.unit,
                           countWords(lesson.prediction.least), countWords(lesson.prediction.most));
    }
    return out;
}

std::string lessonJudged(const Lesson& lesson, const std::optional<Predicted>& predicted,
                         const LessonResults& results) {
    const Judgement judged = judgePrediction(lesson, predicted.value_or(Predicted{}), results);
    std::string out;
    if (predicted) {
        out += fmt::format("You predicted: {}\n\n", predictionWords(lesson.prediction, *predicted));
    }
    if (!judged.right) {
        return out + fmt::format("Not available here: {}\n\n", markdownText(judged.reason));
    }
    out +=
        fmt::format("{}: **{}**\n\n", hasRecorded(results) ? "Recorded on another machine" : "Measured here",
                    judged.measured);
    if (!predicted) {
        return out;
    }
    if (*judged.right) {
        return out + "That is what you predicted.\n\n";
    }
    for (const WrongAnswer* wrong : judged.help) {
        out += fmt::format("- What is right about your answer: {}\n- What isn't: {}\n\n",
                           filledText(wrong->right, results), filledText(wrong->wrong, results));
    }
    return out;
}

std::string lessonAfter(const Lesson& lesson, const LessonResults& results) {
    std::string out;
    if (hasRecorded(results)) {
        out +=
            "*Some of the figures below were not measured here but recorded on another machine: see "
            "above.*\n\n";
    }
    out += filledText(trimmed(lesson.after), results) + "\n\n## Sources\n\n";
    for (const std::string& source : lesson.sources) {
        out += fmt::format("- {}\n", source);
    }
    return out;
}

std::string lessonTables(const LessonResults& results) {
    std::string out;
    for (const LessonMeasured& measured : results.measured) {
        out += tableOf(measured);
    }
    return out;
}

std::string variationAfter(const LessonVariation& variation, const LessonResults& results) {
    return fmt::format("## {}\n\n{}\n\n{}", variation.title, filledText(variation.look, results),
                       lessonTables(results));
}

std::string lessonNotebook(const Lesson& lesson, const std::optional<Predicted>& predicted,
                           const LessonResults& results, const std::string& ownWords) {
    std::string out = lessonBefore(lesson) + "\n## What came of it\n\n" +
                      lessonJudged(lesson, predicted, results) + lessonTables(results);
    if (const auto own = trimmed(ownWords); !own.empty()) {
        out += fmt::format("## In my own words\n\n{}\n\n", own);
    }
    out += "## Explanation\n\n" + lessonAfter(lesson, results) + "\n## Measured on\n\n";
    for (const LessonMeasured& measured : results.measured) {
        if (measured.study) {
            out += fmt::format("- {}{}\n", measured.recorded ? "recorded elsewhere: " : "",
                               markdownText(environmentLine(*measured.study)));
        }
    }
    return out;
}

}  // namespace mmapscope
