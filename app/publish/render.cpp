#include "app/publish/render.h"

#include <fmt/format.h>

#include <QBuffer>
#include <QImage>
#include <QPageSize>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QSvgGenerator>
#include <cmath>

namespace mmapscope {
namespace {

void paintVectors(QPaintDevice& device, const Figure& figure, const FigureStyle& style, const QSize& size,
                  double scale) {
    QCPPainter painter;
    painter.begin(&device);
    painter.setMode(QCPPainter::pmVectorized);
    painter.setRenderHint(QPainter::LosslessImageRendering);
    painter.scale(scale, scale);
    paintFigure(painter, figure, style, size);
    painter.end();
}

}  // namespace

Result<QSize> sizeOf(const Figure& figure, const FigureStyle& style, const PlotOptions& options) {
    const FigureHeights heights = heightsOf(figure, style, options.width);
    PlotOptions filled = options;
    filled.height =
        options.height == 0 ? std::max(heights.natural, PlotOptions::kLeastHeight) : options.height;
    if (const Status sane = checkPlotOptions(filled); !sane) {
        return tl::unexpected(sane.error());
    }
    if (filled.height < heights.least) {
        return fail(
            ErrorKind::usage,
            fmt::format("this plot needs a height of {} where it is {} wide, for {} there is no room; "
                        "give --size {}x{} or a wider one, or leave the height to it: --size {}",
                        heights.least, options.width, options.height, options.width, heights.least,
                        options.width));
    }
    return QSize(filled.width, filled.height);
}

Result<QByteArray> renderPng(const Figure& figure, const FigureStyle& style, const QSize& size,
                             double scale) {
    const QSize pixels(static_cast<int>(std::lround(size.width() * scale)),
                       static_cast<int>(std::lround(size.height() * scale)));
    QImage image(pixels, QImage::Format_RGB32);
    if (image.isNull()) {
        return fail(ErrorKind::failed, fmt::format("no memory for a picture of {}x{} pixels; give a smaller "
                                                   "size or scale, or write .svg or .pdf",
                                                   pixels.width(), pixels.height()));
    }
    constexpr double kInchesAMetre = 1 / 0.0254;
    const int dots = static_cast<int>(std::lround(style.dpi * kInchesAMetre));
    image.setDotsPerMeterX(dots);
    image.setDotsPerMeterY(dots);
    image.setDevicePixelRatio(scale);
    image.fill(style.theme.plotBackground());
    QCPPainter painter;
    painter.begin(&image);
    painter.setRenderHints(QPainter::TextAntialiasing | QPainter::SmoothPixmapTransform);
    paintFigure(painter, figure, style, size);
    painter.end();
    const int scaledDots = static_cast<int>(std::lround(style.dpi * scale * kInchesAMetre));
    image.setDotsPerMeterX(scaledDots);
    image.setDotsPerMeterY(scaledDots);
    image.setText(QStringLiteral("Title"), figure.title);
    image.setText(QStringLiteral("Description"), figure.description);
    QByteArray content;
    QBuffer buffer(&content);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return content;
}

QByteArray renderSvg(const Figure& figure, const FigureStyle& style, const QSize& size, double scale) {
    QByteArray content;
    QBuffer buffer(&content);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    generator.setResolution(style.dpi);
    paintVectors(generator, figure, style, size, 1);
    buffer.close();
    QString text = QString::fromUtf8(content);
    // Millimetres of a made-up resolution mean nothing on a screen; pixels of CSS are 1/96 inch everywhere.
    static const QRegularExpression kSize(QStringLiteral("<svg width=\"[^\"]*\" height=\"[^\"]*\""));
    if (const auto found = kSize.match(text); found.hasMatch()) {
        text.replace(found.capturedStart(), found.capturedLength(),
                     QStringLiteral("<svg width=\"%1\" height=\"%2\"")
                         .arg(size.width() * scale)
                         .arg(size.height() * scale));
    }
    // Not by the generator, which doesn't escape them.
    const auto inside = text.indexOf(u'>', text.indexOf(QStringLiteral("<svg "))) + 1;
    text.insert(inside, QStringLiteral("\n<title>%1</title>\n<desc>%2</desc>")
                            .arg(figure.title.toHtmlEscaped(), figure.description.toHtmlEscaped()));
    // Where the font isn't there, one that is as wide, so that nothing runs out of its place.
    text.replace(QStringLiteral("font-family=\"DejaVu Sans\""),
                 QStringLiteral("font-family=\"DejaVu Sans, Bitstream Vera Sans, Verdana, sans-serif\""));
    return text.toUtf8();
}

QByteArray renderPdf(const Figure& figure, const FigureStyle& style, const QSize& size, double scale) {
    constexpr double kPointsAnInch = 72;
    QByteArray content;
    QBuffer buffer(&content);
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        const QSizeF points = QSizeF(size) * (scale * kPointsAnInch / style.dpi);
        writer.setPageSize(QPageSize(points, QPageSize::Point, {}, QPageSize::ExactMatch));
        writer.setPageMargins(QMarginsF(0, 0, 0, 0));
        writer.setResolution(style.dpi);
        writer.setTitle(figure.title);
        writer.setCreator(QStringLiteral("mmapscope " MMAPSCOPE_VERSION));
        paintVectors(writer, figure, style, size, scale);
    }
    return content;
}

}  // namespace mmapscope
