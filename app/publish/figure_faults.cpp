// The fault map: one of every traced arm side by side, all over the same times and offsets.
#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "app/publish/figure.h"
#include "report/fault_lines.h"
#include "widgets/axis_ticks.h"
#include "widgets/fault_plot.h"
#include "widgets/text.h"

namespace mmapscope {
namespace {

struct FaultFigure {
    Q_DECLARE_TR_FUNCTIONS(FaultFigure)
};

constexpr double kNs = 1e9;
constexpr double kRoom = 1.02;  ///< around the outermost faults

/// What all maps of a figure span, so that they can be compared.
struct Span {
    double seconds = 1e-9, bytes = 1;

    void include(const TracedRun& run) {
        const auto& times = run.trace().tNs;
        const auto last = times.empty() ? 0 : times.back();
        seconds = std::max(
            {seconds, static_cast<double>(run.run().wall.count()) / kNs, static_cast<double>(last) / kNs});
        bytes = std::max(bytes, run.lastByte());
    }
};

class FaultMapPart : public FigurePart {
  public:
    FaultMapPart(const std::vector<TracedRun>& runs, const FigureStyle& style) : style_(style) {
        Span span;
        for (const TracedRun& run : runs) {
            span.include(run);
        }
        for (const TracedRun& run : runs) {
            auto plot = std::make_unique<FaultPlot>();
            preparePlot(*plot, style_);
            plot->setRun(run);
            plot->useAllPixels();
            // Past setRanges(), which keeps near the data of the one run.
            plot->xAxis->setRange(-span.seconds * (kRoom - 1), span.seconds * kRoom);
            plot->yAxis->setRange(-span.bytes * (kRoom - 1), span.bytes * kRoom);
            plot->setTheme(style_.theme);
            plot->yAxis->setLabel(
                FaultFigure::tr("file offset, %1").arg(OffsetTicker::unitOf(plot->yAxis->range())));
            names_ << nameOf(run);
            plots_.push_back(std::move(plot));
        }
        key_ = {{FaultFigure::tr("minor fault"), QPen(style_.theme.minorFault()), QCPScatterStyle::ssSquare,
                 false},
                {FaultFigure::tr("major fault"), QPen(style_.theme.majorFault()), QCPScatterStyle::ssTriangle,
                 false},
                {FaultFigure::tr("strip below: faults outside the file"), QPen(style_.theme.mutedText(), 8),
                 QCPScatterStyle::ssNone, true}};
    }

    Heights heights(int width) override {
        const int key = keyHeight(key_, style_, width);
        const int rows = (count() + columns(width) - 1) / columns(width);
        return {key + rows * style_.line() * 13, key + rows * style_.line() * (rows == 1 ? 28 : 19),
                key + rows * style_.line() * 400};
    }

    void paint(QCPPainter& painter, const QSize& size) override {
        paintKey(painter, key_, style_, size.width());
        const int key = keyHeight(key_, style_, size.width());
        const int across = columns(size.width());
        const int rows = (count() + across - 1) / across;
        const int width = size.width() / across;
        const int height = (size.height() - key) / rows;
        QFont bold = style_.text;
        bold.setBold(true);
        const QFontMetrics metrics(bold);
        for (int i = 0; i < count(); ++i) {
            const auto index = static_cast<std::size_t>(i);
            painter.save();
            painter.translate(i % across * width, key + i / across * height);
            painter.setFont(bold);
            painter.setPen(style_.theme.text());
            painter.drawText(QPoint(0, metrics.ascent()),
                             metrics.elidedText(names_[i], Qt::ElideMiddle, width - 8));
            painter.translate(0, metrics.height());
            const QSize rest(width, height - metrics.height());
            resizePlot(*plots_[index], rest);
            plots_[index]->toPainter(&painter, rest.width(), rest.height());
            painter.restore();
        }
    }

  private:
    [[nodiscard]] int count() const { return static_cast<int>(plots_.size()); }
    [[nodiscard]] int columns(int width) const {
        constexpr int kLeastWidth = 330;
        const int square = static_cast<int>(std::ceil(std::sqrt(count())));
        return std::clamp(width / kLeastWidth, 1, std::max(1, square));
    }
    static QString nameOf(const TracedRun& run) {
        const FaultTotals totals = totalsOf(run.trace());
        return FaultFigure::tr("%1: %2 minor, %3 major, %4 outside the file")
            .arg(QString::fromStdString(run.arm().id), countText(static_cast<double>(totals.minor)),
                 countText(static_cast<double>(totals.major)),
                 countText(static_cast<double>(totals.elsewhere)));
    }

    FigureStyle style_;
    std::vector<std::unique_ptr<FaultPlot>> plots_;
    QStringList names_;
    std::vector<KeyEntry> key_;
};

}  // namespace

void addFaultParts(Figure& figure, const std::shared_ptr<const Study>& study, const FigureStyle& style) {
    figure.parts.push_back(std::make_unique<FaultMapPart>(tracedRuns(study), style));
    QStringList words;
    for (const std::string& sentence : faultSentences(*study)) {
        words << QString::fromStdString(sentence);
    }
    figure.notes << words;
    figure.description = words.join(u' ');
}

}  // namespace mmapscope
