#include "app/gui/icons.h"

#include <QFile>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

static void initResources() {
    // A static library's resources have to be asked for, and outside any namespace.
    Q_INIT_RESOURCE(mmapscope);
}

namespace mmapscope {
namespace {

QPixmap draw(const QByteArray& svg, const QColor& colour, int pixels) {
    QByteArray coloured = svg;
    coloured.replace("currentColor", colour.name().toLatin1());
    QSvgRenderer renderer(coloured);
    QPixmap pixmap(pixels, pixels);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    renderer.render(&painter);
    return pixmap;
}

}  // namespace

QIcon themedIcon(const QString& name, const QPalette& palette) {
    initResources();
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    const QByteArray svg = file.readAll();
    QIcon icon;
    for (const int pixels : {16, 24, 32, 48, 64}) {
        icon.addPixmap(draw(svg, palette.color(QPalette::Active, QPalette::ButtonText), pixels));
        icon.addPixmap(draw(svg, palette.color(QPalette::Disabled, QPalette::ButtonText), pixels),
                       QIcon::Disabled);
    }
    return icon;
}

QIcon programIcon() {
    initResources();
    return QIcon(QStringLiteral(":/icons/io.github.mmapscope.mmapscope.svg"));
}

}  // namespace mmapscope
