// A picture to take away: what was compared on top, plots below each other, what one must know at the bottom.
#pragma once

#include <qcustomplot.h>

#include <QFont>
#include <QString>
#include <QStringList>
#include <memory>
#include <vector>

#include "app/publish/publish.h"
#include "widgets/theme.h"

namespace mmapscope {

/// Colours and letters of a picture; the same wherever it is drawn.
struct FigureStyle {
    explicit FigureStyle(bool dark);

    Theme theme;
    int dpi;  ///< of the coordinates: what a widget's font metrics are in
    QFont text, title, note;
    double pixelRatio = 2;  ///< of what is a raster even among vectors

    [[nodiscard]] int line() const { return QFontMetrics(text).height(); }
};

/// One of a figure's plots. Drawn once, at one size.
class FigurePart {
  public:
    virtual ~FigurePart() = default;
    struct Heights {
        int least = 0, natural = 0, most = 0;
    };
    [[nodiscard]] virtual Heights heights(int width) = 0;
    /// In its own coordinates, from 0.
    virtual void paint(QCPPainter& painter, const QSize& size) = 0;
};

struct Figure {
    QString heading;  ///< what is shown, without what was compared
    QString title, subtitle;
    QStringList notes;
    QString description;  ///< the picture in words
    std::vector<std::unique_ptr<FigurePart>> parts;
};

/// Precondition: checkPlot(study, kind).
[[nodiscard]] Figure makeFigure(const std::shared_ptr<const Study>& study, PlotKind kind,
                                const FigureStyle& style);

/// What it needs at that width, and what suits it.
struct FigureHeights {
    int least = 0, natural = 0;
};
[[nodiscard]] FigureHeights heightsOf(const Figure& figure, const FigureStyle& style, int width);
/// Precondition: at least as high as it needs.
void paintFigure(QCPPainter& painter, const Figure& figure, const FigureStyle& style, const QSize& size);

/// Words in lines no wider than `width`; where there are more than `most` the last one ends in an ellipsis.
[[nodiscard]] QStringList wrapped(const QString& text, const QFont& font, int width, int most);

// What makeFigure puts together, by what is drawn.
void addLiveParts(Figure& figure, const Study& study, PlotKind kind, const FigureStyle& style);
void addRatioPart(Figure& figure, const Study& study, const FigureStyle& style);
void addWhyPart(Figure& figure, const Study& study, const FigureStyle& style);
void addSweepParts(Figure& figure, const Study& study, const FigureStyle& style);
void addFaultParts(Figure& figure, const std::shared_ptr<const Study>& study, const FigureStyle& style);

/// An entry of a key, and the keys' rows.
struct KeyEntry {
    QString name;
    QPen pen;
    QCPScatterStyle::ScatterShape marker = QCPScatterStyle::ssNone;
    bool line = true;
};
[[nodiscard]] int keyHeight(const std::vector<KeyEntry>& key, const FigureStyle& style, int width);
void paintKey(QCPPainter& painter, const std::vector<KeyEntry>& key, const FigureStyle& style, int width);

/// Fonts, C locale and colours of a plot that is only painted, never shown.
void preparePlot(QCustomPlot& plot, const FigureStyle& style);
/// Gives a plot that is never shown its size.
void resizePlot(QCustomPlot& plot, const QSize& size);

}  // namespace mmapscope
