// Drawing and looking at what was drawn, for the tests of plots and pages.
#pragma once

#include <QHash>
#include <QImage>
#include <QProcess>
#include <QXmlStreamReader>

#include "app/publish/publish.h"
#include "tests/app/publish_fixtures.h"

namespace mmapscope::testing {

using SharedStudy = std::shared_ptr<const Study>;

inline SharedStudy studyFor(PlotKind kind) {
    return kind == PlotKind::sweep ? sweepStudy() : wholeStudy();
}

inline QByteArray draw(const SharedStudy& study, const PlotOptions& options) {
    const auto drawn = plotOf(study, options);
    if (!drawn) {
        qWarning("%s", drawn.error().message.c_str());
        return {};
    }
    return QByteArray::fromStdString(*drawn);
}

inline QByteArray draw(PlotKind kind, PlotFormat format, bool dark = false) {
    PlotOptions options;
    options.kind = kind;
    options.format = format;
    options.dark = dark;
    return draw(studyFor(kind), options);
}

inline QByteArray page(const SharedStudy& study) {
    const auto made = reportOf(study, ReportFormat::html);
    return made ? QByteArray::fromStdString(*made) : QByteArray();
}

/// The text of all elements, tag by tag; empty when it is no XML.
struct Markup {
    QStringList tags, texts;
    QString error;
};
inline Markup markupOf(const QByteArray& content) {
    Markup markup;
    QXmlStreamReader reader(content);
    while (!reader.atEnd()) {
        switch (reader.readNext()) {
            case QXmlStreamReader::StartElement:
                markup.tags << reader.name().toString();
                for (const QXmlStreamAttribute& attribute : reader.attributes()) {
                    if (attribute.name().startsWith(u"on")) {
                        markup.error = QStringLiteral("a handler: ") + attribute.name().toString();
                    }
                }
                break;
            case QXmlStreamReader::Characters:
                markup.texts << reader.text().toString();
                break;
            default:
                break;
        }
    }
    if (reader.hasError()) {
        markup.error = reader.errorString() + QStringLiteral(" in line %1").arg(reader.lineNumber());
    }
    return markup;
}

/// The share of pixels that aren't the commonest colour, and how light the commonest is.
struct Look {
    double drawn = 0;
    int lightness = 0;
};
inline Look lookOf(const QImage& image) {
    QHash<QRgb, int> counts;
    for (int y = 0; y < image.height(); y += 2) {
        for (int x = 0; x < image.width(); x += 2) {
            ++counts[image.pixel(x, y)];
        }
    }
    int all = 0;
    auto most = counts.cbegin();
    for (auto at = counts.cbegin(); at != counts.cend(); ++at) {
        all += at.value();
        most = at.value() > most.value() ? at : most;
    }
    return all == 0 ? Look() : Look{1.0 - static_cast<double>(most.value()) / all, qGray(most.key())};
}

inline bool write(const QString& path, const QByteArray& content) {
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
}

/// False when it can't be run or says no; then what it said is a warning.
inline bool runs(const QString& program, const QStringList& arguments) {
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    const bool ok = process.waitForFinished(60'000) && process.exitStatus() == QProcess::NormalExit &&
                    process.exitCode() == 0;
    if (!ok) {
        process.kill();
        process.waitForFinished();
        qWarning("%s", process.readAll().right(2000).constData());
    }
    return ok;
}

}  // namespace mmapscope::testing
