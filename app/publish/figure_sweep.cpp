// A sweep: throughput, and below it what explains it, against size.
#include <QCoreApplication>
#include <algorithm>

#include "app/publish/figure.h"
#include "study/sweep_points.h"
#include "widgets/sweep_chart.h"
#include "widgets/sweep_figures.h"

namespace mmapscope {
namespace {

struct SweepFigure {
    Q_DECLARE_TR_FUNCTIONS(SweepFigure)
};

class SweepPart : public FigurePart {
  public:
    SweepPart(const QString& title, const QString& unit, std::vector<SweepLine> lines,
              std::vector<SweepMark> marks, std::optional<Bytes> cap, int lineHeights,
              const FigureStyle& style)
        : unit_(unit),
          lines_(std::move(lines)),
          marks_(std::move(marks)),
          cap_(cap),
          style_(style),
          lineHeights_(lineHeights),
          chart_(title) {
        preparePlot(chart_, style);
        chart_.setTheme(style.theme);
    }

    Heights heights(int /*width*/) override {
        return {style_.line() * std::max(9, static_cast<int>(lines_.size()) + 5),
                style_.line() * lineHeights_, style_.line() * 400};
    }

    void paint(QCPPainter& painter, const QSize& size) override {
        resizePlot(chart_, size);
        chart_.setLines(lines_, marks_, cap_,
                        wrapped(unit_, style_.text, size.height() * 3 / 5, 3).join(u'\n'));
        // As wide as the widest labels of all, so that sizes lie below each other.
        QMargins margins = chart_.axisRect()->minimumMargins();
        margins.setLeft(style_.line() * 7);
        chart_.axisRect()->setMinimumMargins(margins);
        chart_.yAxis->ticker()->setTickCount(std::max(2, size.height() / (style_.line() * 4)));
        chart_.toPainter(&painter, size.width(), size.height());
    }

  private:
    QString unit_;
    std::vector<SweepLine> lines_;
    std::vector<SweepMark> marks_;
    std::optional<Bytes> cap_;
    FigureStyle style_;
    int lineHeights_;
    SweepChart chart_;
};

bool anyAboveZero(const std::vector<SweepLine>& lines) {
    return std::any_of(lines.begin(), lines.end(), [](const SweepLine& line) {
        return std::any_of(line.values.begin(), line.values.end(),
                           [](const SweepValue& value) { return value.value > 0; });
    });
}

bool anyTold(const std::vector<SweepLine>& lines) {
    return std::any_of(lines.begin(), lines.end(),
                       [](const SweepLine& line) { return !line.values.empty(); });
}

}  // namespace

void addSweepParts(Figure& figure, const Study& study, const FigureStyle& style) {
    const SweepFigures figures = sweepFigures(study);
    figure.parts.push_back(std::make_unique<SweepPart>(figure.title, sweepRateLabel(figures), figures.rates,
                                                       figures.marks, figures.cap, 22, style));
    figure.notes << SweepFigure::tr(
        "Lines: median over the rounds at each size; bands: from the slowest to the fastest round; dotted "
        "columns: where an arm's verdict changes sides.");
    for (std::size_t count = 0; count < kSweepCounts; ++count) {
        const auto what = static_cast<SweepCount>(count);
        const std::vector<SweepLine>& lines = figures.counts[count];
        if (anyAboveZero(lines)) {
            figure.parts.push_back(std::make_unique<SweepPart>(sweepCountName(what), sweepCountLabel(what),
                                                               lines, std::vector<SweepMark>(), figures.cap,
                                                               13, style));
        } else if (anyTold(lines)) {
            figure.notes << SweepFigure::tr("No run had any: %1.").arg(sweepCountName(what));
        }
    }
    figure.notes << SweepFigure::tr(
        "Log scales have no place for 0: where a line is missing, there were none.");
    QStringList words;
    for (const std::string& sentence : crossoverSentences(study)) {
        words << QString::fromStdString(sentence);
    }
    figure.notes << words;
    figure.description = words.join(QStringLiteral(" "));
    if (!study.sweep->complete) {
        figure.notes << SweepFigure::tr("The sweep is not finished: %1 sizes were measured.")
                            .arg(sizesOf(study).size());
    }
}

}  // namespace mmapscope
