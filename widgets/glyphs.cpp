#include "widgets/glyphs.h"

#include <QPainter>

namespace mmapscope {

QIcon glyphIcon(Glyph glyph, const QColor& color) {
    QPixmap pixmap(32, 32);
    pixmap.setDevicePixelRatio(2);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    switch (glyph) {
        case Glyph::play:
            painter.drawPolygon(QPolygonF({{4, 2.5}, {13.5, 8}, {4, 13.5}}));
            break;
        case Glyph::pause:
            painter.drawRect(QRectF(3.5, 3, 3, 10));
            painter.drawRect(QRectF(9.5, 3, 3, 10));
            break;
        case Glyph::whole:
            painter.drawPolygon(QPolygonF({{1, 8}, {5, 4}, {5, 12}}));
            painter.drawPolygon(QPolygonF({{15, 8}, {11, 4}, {11, 12}}));
            painter.drawRect(QRectF(4, 7.2, 8, 1.6));
            break;
        case Glyph::pencil:
            painter.drawPolygon(QPolygonF({{2, 14}, {3, 10}, {10.5, 2.5}, {13.5, 5.5}, {6, 13}}));
            break;
        case Glyph::choose:
            painter.drawPolygon(QPolygonF({{3, 5.5}, {13, 5.5}, {8, 11.5}}));
            break;
        case Glyph::more:
            for (const double x : {3.0, 8.0, 13.0}) {
                painter.drawEllipse(QPointF(x, 8), 1.6, 1.6);
            }
            break;
    }
    return QIcon(pixmap);
}

QPixmap lineSample(const QPen& pen, QCPScatterStyle::ScatterShape marker, qreal devicePixelRatio) {
    constexpr QSize kSize(30, 12);
    QPixmap pixmap(kSize * devicePixelRatio);
    pixmap.setDevicePixelRatio(devicePixelRatio);
    pixmap.fill(Qt::transparent);
    QCPPainter painter(&pixmap);
    painter.setAntialiasing(true);
    painter.setPen(pen);
    painter.drawLine(QPointF(0, 6), QPointF(kSize.width(), 6));
    if (marker != QCPScatterStyle::ssNone) {
        QCPScatterStyle style(marker, pen.color(), QBrush(pen.color()), 7);
        style.applyTo(&painter, QPen(pen.color(), 1.4));
        style.drawShape(&painter, kSize.width() / 2.0, 6);
    }
    return pixmap;
}

}  // namespace mmapscope
