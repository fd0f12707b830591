// mmapscope [FILE] [--open STUDY.json]: the window.
#include <QApplication>
#include <QCommandLineParser>

#include "app/gui/icons.h"
#include "app/gui/main_window.h"
#include "app/gui/theme_setting.h"

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    QCoreApplication::setOrganizationName(QStringLiteral("mmapscope"));
    QCoreApplication::setApplicationName(QStringLiteral("mmapscope"));
    QCoreApplication::setApplicationVersion(QStringLiteral(MMAPSCOPE_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("io.github.mmapscope.mmapscope"));
    QGuiApplication::setWindowIcon(mmapscope::programIcon());

    QCommandLineParser parser;
    parser.setApplicationDescription(
        QCoreApplication::translate("main", "How should a program get a file's bytes, and why?"));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("FILE"),
                                 QCoreApplication::translate("main", "A file to look at."),
                                 QStringLiteral("[FILE]"));
    const QCommandLineOption study(QStringLiteral("open"),
                                   QCoreApplication::translate("main", "A saved study to show."),
                                   QStringLiteral("STUDY.json"));
    parser.addOption(study);
    parser.process(application);

    mmapscope::setTheme(mmapscope::rememberedTheme());
    mmapscope::MainWindow window;
    window.show();
    if (const QStringList files = parser.positionalArguments(); !files.isEmpty()) {
        window.openPath(files.front());
    }
    if (parser.isSet(study)) {
        window.openStudy(parser.value(study));
    }
    return QApplication::exec();
}
