// Compare's pictures: the ratios, and where the time went.
#include <QCoreApplication>

#include "app/publish/figure.h"
#include "report/why_table.h"
#include "widgets/ratio_chart.h"
#include "widgets/why_bar.h"
#include "widgets/why_chart.h"

namespace mmapscope {
namespace {

struct StudyFigure {
    Q_DECLARE_TR_FUNCTIONS(StudyFigure)
};

class RatioPart : public FigurePart {
  public:
    RatioPart(std::vector<RatioBar> bars, const QString& axis, const FigureStyle& style)
        : axis_(axis), style_(style) {
        preparePlot(chart_, style_);
        chart_.setTheme(style_.theme);
        chart_.setBars(std::move(bars));
    }

    Heights heights(int width) override {
        // The label under the axis may need more lines than the chart reckons with.
        const int label = style_.line() * static_cast<int>(wrapped(axis_, style_.text, width, kLines).size());
        return {chart_.minimumSizeHint().height() + label, chart_.sizeHint().height() + label,
                chart_.sizeHint().height() * 2 + label};
    }

    void paint(QCPPainter& painter, const QSize& size) override {
        resizePlot(chart_, size);
        chart_.xAxis->setLabel(wrapped(axis_, style_.text, size.width() * 3 / 4, kLines).join(u'\n'));
        chart_.toPainter(&painter, size.width(), size.height());
    }

    [[nodiscard]] QString words() const { return chart_.accessibleDescription(); }

  private:
    static constexpr int kLines = 4;
    QString axis_;
    FigureStyle style_;
    RatioChart chart_;
};

class WhyPart : public FigurePart {
  public:
    WhyPart(std::vector<WhyBar> bars, const FigureStyle& style) {
        chart_.setFont(style.text);
        chart_.setTheme(style.theme);
        chart_.setBars(std::move(bars), {});
    }

    Heights heights(int width) override {
        chart_.resize(width, 1);
        const int height = chart_.sizeHint().height();
        return {height, height, height};
    }

    void paint(QCPPainter& painter, const QSize& size) override {
        chart_.resize(size);
        chart_.paint(painter);
    }

    [[nodiscard]] QString words() const { return chart_.accessibleDescription(); }

  private:
    WhyChart chart_;
};

}  // namespace

void addRatioPart(Figure& figure, const Study& study, const FigureStyle& style) {
    std::vector<RatioBar> bars;
    QString baseline = StudyFigure::tr("the baseline");
    for (const ArmSummary& summary : study.summary) {
        RatioBar bar;
        bar.arm = static_cast<int>(summary.arm);
        bar.id = QString::fromStdString(study.arms[summary.arm].id);
        bar.isBaseline = summary.verdict == Verdict::baseline;
        baseline = bar.isBaseline ? bar.id : baseline;
        if (!bar.isBaseline && summary.ratio && summary.ratioLow && summary.ratioHigh) {
            bar.interval = RatioInterval{*summary.ratio, *summary.ratioLow, *summary.ratioHigh};
        }
        bars.push_back(std::move(bar));
    }
    auto part = std::make_unique<RatioPart>(
        std::move(bars), StudyFigure::tr("throughput over %1 (1 = equal); line: 95 % interval").arg(baseline),
        style);
    figure.description = part->words();
    figure.notes << StudyFigure::tr(
        "faster: the whole line lies right of the grey band (1 ± 1 %); slower: left of it; else tied.");
    figure.parts.push_back(std::move(part));
}

void addWhyPart(Figure& figure, const Study& study, const FigureStyle& style) {
    std::vector<WhyBar> bars;
    for (const Attribution& attribution : study.attribution) {
        bars.push_back(whyBar(study, attribution));
    }
    auto part = std::make_unique<WhyPart>(std::move(bars), style);
    figure.description = part->words();
    for (const std::string& sentence : whySentences(study)) {
        figure.notes << QString::fromStdString(sentence);
    }
    figure.parts.push_back(std::move(part));
}

}  // namespace mmapscope
