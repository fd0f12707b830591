#include <QSignalSpy>
#include <QTableWidget>
#include <QtTest>
#include "app/gui/compare_window.h"
#include "app/gui/theme_setting.h"
#include "gui_support.h"
using namespace mmapscope;
class TestPictures : public QObject {
    Q_OBJECT
  private slots:
    void all() {
        testing::Home home;
        const auto p = [](const char* n) { return QStringLiteral("/tmp/h-cmp/%1.json").arg(n); };
        const std::pair<const char*, QStringList> shows[]{{"two", {p("main-1"), p("branch-1")}}, {"three", {p("main-1"), p("main-2"), p("branch-1"), p("larger")}}};
        for (const auto& [name, paths] : shows) {
            CompareWindow w(nullptr, paths);
            QSignalSpy ready(&w, &CompareWindow::ready);
            w.show();
            QTRY_COMPARE(ready.count(), 1);
            for (const auto& [theme, suffix] : {std::pair(ThemeChoice::light, "light"), {ThemeChoice::dark, "dark"}}) {
                setTheme(theme);
                QTest::qWait(300);
                w.grab().save(QStringLiteral("/tmp/h-cmp/%1-%2.png").arg(name, suffix));
            }
        }
    }
};
QTEST_MAIN(TestPictures)
#include "tst_zz_pictures.moc"
