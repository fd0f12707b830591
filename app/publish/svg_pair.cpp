#include "app/publish/svg_pair.h"

#include <QRegularExpression>
#include <QStringList>

namespace mmapscope {
namespace {

/// What differs between the themes: colours, and the pixels of rasters. Text has its quotes escaped, so an
/// attribute is never found in it.
const QRegularExpression& themed() {
    static const QRegularExpression pattern(
        QStringLiteral("(?:(fill|stroke|stop-color)=\"(#[0-9A-Fa-f]{6})\")|(?:<image [^>]*/>)"));
    return pattern;
}

/// Without prologue, and with what comes before the first child replaced.
QString withHead(QString svg, const QString& label) {
    const auto begin = svg.indexOf(QStringLiteral("<svg "));
    const auto end = svg.indexOf(u'>', begin);
    static const QRegularExpression kBox(QStringLiteral("viewBox=\"([^\"]*)\""));
    const QString box = kBox.match(svg.mid(begin, end - begin)).captured(1);
    return QStringLiteral(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" "
               "xmlns:xlink=\"http://www.w3.org/1999/xlink\" viewBox=\"%1\" role=\"img\" "
               "aria-label=\"%2\">")
               .arg(box, label.toHtmlEscaped()) +
           svg.mid(end + 1).trimmed();
}

/// A title would be a tool tip all over the picture; the page has it as a caption.
QString withoutTitle(QString svg) {
    static const QRegularExpression kTitle(QStringLiteral("<(title|desc)>.*?</\\1>\\s*"),
                                           QRegularExpression::DotMatchesEverythingOption);
    return svg.remove(kTitle);
}

/// Names of patterns and masks hold the colour they have; here they are numbered, and each picture has its
/// own.
QString withOwnIds(const QString& svg, int picture) {
    static const QRegularExpression kId(
        QStringLiteral("(id=\"|url\\(#)([A-Za-z]+[0-9]+(?:_[0-9a-f]+)?)(?=[\")])"));
    QStringList known;
    QString out;
    qsizetype at = 0;
    for (auto ids = kId.globalMatch(svg); ids.hasNext();) {
        const auto id = ids.next();
        auto number = known.indexOf(id.captured(2));
        if (number < 0) {
            number = known.size();
            known << id.captured(2);
        }
        out += QStringView(svg).mid(at, id.capturedStart() - at);
        out += QStringLiteral("%1p%2-%3").arg(id.captured(1)).arg(picture).arg(number);
        at = id.capturedEnd();
    }
    return out + svg.mid(at);
}

QString withClass(const QString& image, const char* name) {
    return QStringLiteral("<image class=\"%1\" ").arg(QLatin1String(name)) +
           image.mid(QStringLiteral("<image ").size());
}

}  // namespace

QString PageColours::use(const QString& light, const QString& dark) {
    if (light == dark) {
        return light;
    }
    const auto [found, added] = names_.try_emplace({light, dark}, static_cast<int>(names_.size()));
    return QStringLiteral("var(--c%1,%2)").arg(found->second).arg(light);
}

QString PageColours::declarations(bool dark) const {
    QString text;
    for (const auto& [pair, number] : names_) {
        text += QStringLiteral("--c%1:%2;").arg(number).arg(dark ? pair.second : pair.first);
    }
    return text;
}

QString pairedSvg(const QByteArray& light, const QByteArray& dark, const QString& label,
                  PageColours& colours) {
    const int picture = colours.nextPicture();
    const QString onLight = withOwnIds(withoutTitle(QString::fromUtf8(light)), picture);
    const QString onDark = withOwnIds(withoutTitle(QString::fromUtf8(dark)), picture);
    auto lights = themed().globalMatch(onLight);
    auto darks = themed().globalMatch(onDark);
    QString out;
    qsizetype lightAt = 0;
    qsizetype darkAt = 0;
    while (lights.hasNext() && darks.hasNext()) {
        const auto one = lights.next();
        const auto other = darks.next();
        const QStringView between = QStringView(onLight).mid(lightAt, one.capturedStart() - lightAt);
        if (between != QStringView(onDark).mid(darkAt, other.capturedStart() - darkAt) ||
            one.captured(1) != other.captured(1)) {
            return withHead(onLight, label);  // drawn differently: the light one as it is
        }
        out += between;
        if (one.captured(1).isEmpty()) {
            out += withClass(one.captured(), "light") + withClass(other.captured(), "dark");
        } else {
            out += QStringLiteral("%1=\"%2\"")
                       .arg(one.captured(1), colours.use(one.captured(2), other.captured(2)));
        }
        lightAt = one.capturedEnd();
        darkAt = other.capturedEnd();
    }
    if (lights.hasNext() || darks.hasNext() ||
        QStringView(onLight).mid(lightAt) != QStringView(onDark).mid(darkAt)) {
        return withHead(onLight, label);
    }
    return withHead(out + onLight.mid(lightAt), label);
}

}  // namespace mmapscope
