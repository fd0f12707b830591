#include "app/publish/publish.h"

#include <fmt/format.h>

#include <QApplication>
#include <QFileInfo>
#include <QHashSeed>
#include <QLibraryInfo>
#include <algorithm>

#include "app/publish/html.h"
#include "app/publish/render.h"
#include "core/text.h"

namespace mmapscope {
namespace {

constexpr int kLongestId = 48;  ///< characters in a picture

QString platformPlugin() {
    return QLibraryInfo::path(QLibraryInfo::PluginsPath) + QStringLiteral("/platforms/libqoffscreen.so");
}

/// What Qt says of the desktop it doesn't find is of no use to someone who asked for a file.
void dropMessages(QtMsgType type, const QMessageLogContext& /*context*/, const QString& text) {
    if (type == QtFatalMsg) {
        fmt::print(stderr, "mmapscope: Qt can't draw: {}\n", text.toStdString());
    }
}

/// In the commands: Qt without a display, and without what a desktop would make it look like.
void startWithoutDisplay() {
    for (const char* const name : {"QT_SCALE_FACTOR", "QT_SCREEN_SCALE_FACTORS", "QT_FONT_DPI",
                                   "QT_STYLE_OVERRIDE", "QT_QPA_PLATFORMTHEME", "QT_LOGGING_RULES"}) {
        qunsetenv(name);
    }
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("LC_ALL", "C.UTF-8");  // Qt would set the user's, and the system's reasons come in its language
    qInstallMessageHandler(dropMessages);
    QHashSeed::setDeterministicGlobalSeed();  // axes are drawn in a hash's order: the same file every time
    static int count = 1;
    static char name[] = "mmapscope";
    static char* arguments[] = {name, nullptr};
    QCoreApplication::setAttribute(Qt::AA_UseDesktopOpenGL, false);
    QGuiApplication::setDesktopSettingsAware(false);
    // Stays until the program ends: what it owns may be in use by then.
    [[maybe_unused]] static auto* const application = new QApplication(count, arguments);
}

Status ensureDrawing() {
    if (const Status possible = checkDrawing(); !possible) {
        return possible;
    }
    if (QCoreApplication::instance() == nullptr) {
        startWithoutDisplay();
    }
    return {};
}

/// Its arms' names fit a picture and are one line.
std::shared_ptr<const Study> withShortIds(const std::shared_ptr<const Study>& study) {
    const auto shortId = [](const std::string& id) {
        QString text = QString::fromStdString(printable(id));
        if (text.size() > kLongestId) {
            text = text.left(kLongestId * 2 / 3) + u'…' + text.right(kLongestId / 3);
        }
        return text.toStdString();
    };
    const bool fine = std::all_of(study->arms.begin(), study->arms.end(),
                                  [&](const Arm& arm) { return shortId(arm.id) == arm.id; });
    if (fine) {
        return study;
    }
    auto copy = std::make_shared<Study>(*study);
    for (Arm& arm : copy->arms) {
        arm.id = shortId(arm.id);
    }
    return copy;
}

}  // namespace

Status checkDrawing() {
    if (QCoreApplication::instance() != nullptr) {
        return qobject_cast<QApplication*>(QCoreApplication::instance()) != nullptr
                   ? Status()
                   : fail(ErrorKind::unavailable, "this program has no widgets to draw with");
    }
    if (!QFileInfo::exists(platformPlugin())) {
        return fail(ErrorKind::unavailable,
                    fmt::format("plots and HTML are not available here: Qt's plugin for drawing without a "
                                "display, {}, is missing; install it (Debian: libqt6gui6)",
                                platformPlugin().toStdString()));
    }
    return {};
}

Result<std::string> plotOf(const std::shared_ptr<const Study>& study, const PlotOptions& options) {
    for (const Status& status :
         {checkPlotOptions(options), checkDrawing(), checkPlot(*study, options.kind)}) {
        if (!status) {
            return tl::unexpected(status.error());
        }
    }
    if (const Status started = ensureDrawing(); !started) {
        return tl::unexpected(started.error());
    }
    FigureStyle style(options.dark);
    if (options.format == PlotFormat::png) {
        style.pixelRatio = options.scale;
    }
    const Figure figure = makeFigure(withShortIds(study), options.kind, style);
    const auto size = sizeOf(figure, style, options);
    if (!size) {
        return tl::unexpected(size.error());
    }
    switch (options.format) {
        case PlotFormat::svg:
            return renderSvg(figure, style, *size, options.scale).toStdString();
        case PlotFormat::pdf:
            return renderPdf(figure, style, *size, options.scale).toStdString();
        case PlotFormat::png:
            break;
    }
    return renderPng(figure, style, *size, options.scale).map([](const QByteArray& content) {
        return content.toStdString();
    });
}

Result<std::string> reportOf(const std::shared_ptr<const Study>& study, ReportFormat format) {
    if (const auto write = factsOf(format).write; write != nullptr) {
        return write(*study);
    }
    if (const Status started = ensureDrawing(); !started) {
        return tl::unexpected(started.error());
    }
    return studyToHtml(withShortIds(study));
}

}  // namespace mmapscope
