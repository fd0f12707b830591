#include "lesson/lesson_plot.h"

#include <fmt/format.h>

#include <algorithm>

#include "lesson/lesson_figures.h"

namespace mmapscope {
namespace {

/// The figure that decides: the last word of its name.
std::string_view decidingFigure(const LessonPrediction& asked) {
    std::string_view name = asked.answer;
    if (asked.kind == PredictionKind::choice) {
        for (const LessonOption& option : asked.options) {
            if (!option.when.empty()) {
                name = option.when.front().left.figure;
                break;
            }
        }
    }
    const std::string_view last = name.substr(name.rfind('.') + 1);
    return last.starts_with("ratio_") ? std::string_view("ratio") : last;
}

std::string titleOf(std::string_view figure) {
    for (const FigureName& known : figureNames()) {
        if (known.name == figure && known.ofArm) {
            return std::string(known.help);
        }
    }
    return {};
}

LessonPlot plotOf(std::string_view figure, const LessonResults& results) {
    LessonPlot plot;
    plot.title = titleOf(figure);
    std::vector<std::string> arms;
    for (const LessonMeasured& measured : results.measured) {
        if (!measured.study) {
            continue;
        }
        const std::string run = measured.name.empty() ? "" : measured.name + ".";
        for (std::size_t i = 0; i < measured.study->arms.size(); ++i) {
            const std::string& id = measured.study->arms[i].id;
            LessonFigure value = figureOf(results, fmt::format("{}arm.{}.{}", run, id, figure));
            if (i == measured.study->plan.baseline && figure == "ratio") {
                value = {1.0, "1 (baseline)", {}};
            }
            auto arm = std::find(arms.begin(), arms.end(), id);
            if (arm == arms.end()) {
                arm = arms.insert(arms.end(), id);
            }
            plot.bars.push_back({(measured.name.empty() ? id : measured.name + ": " + id) +
                                     (measured.recorded ? " (recorded)" : ""),
                                 static_cast<int>(arm - arms.begin()), value.number,
                                 value.number ? value.text : "not available here: " + value.reason});
        }
    }
    return plot;
}

}  // namespace

LessonPlot lessonPlot(const Lesson& lesson, const std::optional<Predicted>& predicted,
                      const LessonResults& results) {
    LessonPlot plot = plotOf(decidingFigure(lesson.prediction), results);
    if (predicted) {
        plot.predictedText = predictionWords(lesson.prediction, *predicted);
        if (lesson.prediction.kind == PredictionKind::number) {
            plot.predicted = predicted->number;
        }
    }
    return plot;
}

LessonPlot variationPlot(const Lesson& lesson, const LessonResults& results) {
    return plotOf(decidingFigure(lesson.prediction), results);
}

}  // namespace mmapscope
