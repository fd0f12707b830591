#include "app/gui/command_line.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QTextStream>

namespace mmapscope {
namespace {

constexpr int kUsageError = 2;
constexpr int kNotAvailable = 3;

/// Qt aborts when it finds no display; that deserves a sentence instead.
bool displayFound() {
    return qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY") ||
           qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
}

QString tr(const char* text) {
    return QCoreApplication::translate("mmapscope::CommandLine", text);
}

}  // namespace

std::optional<CommandLine> readCommandLine(int argc, char** argv, int& exitStatus) {
    const QCoreApplication application(argc, argv);
    QCommandLineParser parser;
    parser.setApplicationDescription(tr("How should a program get a file's bytes, and why?"));
    const QCommandLineOption help = parser.addHelpOption();
    const QCommandLineOption version = parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("FILE"), tr("A file to look at."), QStringLiteral("[FILE]"));
    const QCommandLineOption study(QStringLiteral("open"), tr("A saved study to show."),
                                   QStringLiteral("STUDY.json"));
    parser.addOption(study);

    const bool understood = parser.parse(QCoreApplication::arguments());
    const QStringList files = parser.positionalArguments();
    QTextStream err(stderr);
    if (!understood || files.size() > 1) {
        err << "mmapscope: " << (understood ? tr("one file at a time, please") : parser.errorText()) << "; "
            << tr("see mmapscope --help") << Qt::endl;
        exitStatus = kUsageError;
        return std::nullopt;
    }
    if (parser.isSet(help) || parser.isSet(version)) {
        QTextStream(stdout) << (parser.isSet(help)
                                    ? parser.helpText()
                                    : QStringLiteral("mmapscope ") + QCoreApplication::applicationVersion() +
                                          QLatin1Char('\n'));
        exitStatus = 0;
        return std::nullopt;
    }
    if (!displayFound()) {
        err << tr("mmapscope: no display to open a window on; mmapscope-cli does the same work without one")
            << Qt::endl;
        exitStatus = kNotAvailable;
        return std::nullopt;
    }
    return CommandLine{files.value(0), parser.value(study)};
}

}  // namespace mmapscope
