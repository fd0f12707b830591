// Small drawn signs: they take the palette's colours, which icon files don't.
#pragma once

#include <qcustomplot.h>
#include <QIcon>
#include <QPen>

namespace mmapscope {

enum class Glyph { play, pause, whole };

[[nodiscard]] QIcon glyphIcon(Glyph glyph, const QColor& color);
/// A short piece of a line with its marker, as a legend shows it.
[[nodiscard]] QPixmap lineSample(const QPen& pen, QCPScatterStyle::ScatterShape marker,
                                 qreal devicePixelRatio);

}  // namespace mmapscope
