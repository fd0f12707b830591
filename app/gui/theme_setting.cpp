#include "app/gui/theme_setting.h"

#include <QApplication>
#include <QSettings>

namespace mmapscope {
namespace {

QString key() {
    return QStringLiteral("window/theme");
}

}  // namespace

ThemeChoice rememberedTheme() {
    const QString text = QSettings().value(key()).toString();
    return text == QStringLiteral("dark")    ? ThemeChoice::dark
           : text == QStringLiteral("light") ? ThemeChoice::light
                                             : ThemeChoice::system;
}

void setTheme(ThemeChoice choice) {
    const char* text = choice == ThemeChoice::dark    ? "dark"
                       : choice == ThemeChoice::light ? "light"
                                                      : "system";
    QSettings().setValue(key(), QString::fromLatin1(text));
    applyApplicationTheme(*static_cast<QApplication*>(QApplication::instance()), choice);
}

}  // namespace mmapscope
