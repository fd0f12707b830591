// Small drawn signs: they take the palette's colours, which icon files don't.
#pragma once

#include <qcustomplot.h>
#include <QIcon>
#include <QPen>

namespace mmapscope {

/// pencil, choose and more stand in what can be edited: as text, from a list, through a dialog.
enum class Glyph { play, pause, whole, pencil, choose, more };

[[nodiscard]] QIcon glyphIcon(Glyph glyph, const QColor& color);
/// A short piece of a line with its marker, as a legend shows it.
[[nodiscard]] QPixmap lineSample(const QPen& pen, QCPScatterStyle::ScatterShape marker,
                                 qreal devicePixelRatio);

}  // namespace mmapscope
