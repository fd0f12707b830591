// A figure as the content of a file.
#pragma once

#include <QByteArray>

#include "app/publish/figure.h"

namespace mmapscope {

/// Fills in the height where it is left open. Error: usage, with the height that is needed.
[[nodiscard]] Result<QSize> sizeOf(const Figure& figure, const FigureStyle& style,
                                   const PlotOptions& options);

/// Error: failed, where there is no memory for so many pixels.
[[nodiscard]] Result<QByteArray> renderPng(const Figure& figure, const FigureStyle& style, const QSize& size,
                                           double scale);
[[nodiscard]] QByteArray renderSvg(const Figure& figure, const FigureStyle& style, const QSize& size,
                                   double scale);
[[nodiscard]] QByteArray renderPdf(const Figure& figure, const FigureStyle& style, const QSize& size,
                                   double scale);

}  // namespace mmapscope
