// mmapscope [FILE] [--open STUDY.json]: the window.
#include <QApplication>

#include "app/gui/command_line.h"
#include "app/gui/icons.h"
#include "app/gui/main_window.h"
#include "app/gui/theme_setting.h"

int main(int argc, char** argv) {
    QCoreApplication::setOrganizationName(QStringLiteral("mmapscope"));
    QCoreApplication::setApplicationName(QStringLiteral("mmapscope"));
    QCoreApplication::setApplicationVersion(QStringLiteral(MMAPSCOPE_VERSION));
    int exitStatus = 0;
    const auto asked = mmapscope::readCommandLine(argc, argv, exitStatus);
    if (!asked) {
        return exitStatus;
    }

    QApplication application(argc, argv);
    QGuiApplication::setDesktopFileName(QStringLiteral("io.github.mmapscope.mmapscope"));
    QGuiApplication::setWindowIcon(mmapscope::programIcon());
    mmapscope::setTheme(mmapscope::rememberedTheme());
    mmapscope::MainWindow window;
    window.show();
    if (!asked->file.isEmpty()) {
        window.openPath(asked->file);
    }
    if (!asked->study.isEmpty()) {
        window.openStudy(asked->study);
    }
    return QApplication::exec();
}
