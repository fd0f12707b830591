// Studies side by side in a window of their own: opened from the menu or by a drop, named, ordered, taken
// away.
#include <QFileDialog>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
#include <QtTest>

#include "app/gui/compare_window.h"
#include "app/gui/main_window.h"
#include "app/gui/message_line.h"
#include "app/gui/study_controller.h"
#include "gui_support.h"
#include "report/comparison.h"
#include "report/study_file.h"
#include "tests/engine/study/study_fixtures.h"
#include "widgets/side_by_side_panel.h"

using namespace mmapscope;
using namespace mmapscope::fixtures;
using namespace mmapscope::testing;

namespace {

constexpr int kPatience = 30'000;

QPushButton* button(const QWidget& window, const QString& text) {
    for (auto* one : window.findChildren<QPushButton*>()) {
        if (QString(one->text()).remove('&') == text) {
            return one;
        }
    }
    return nullptr;
}

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class TestGuiCompare : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        write("old", 8, 1);
        write("same", 8, 2);
        write("slow", 14, 3);
    }

    void namesMakeSides() {
        CompareWindow window(nullptr, {path("old"), path("same"), path("slow")});
        window.show();
        QSignalSpy ready(&window, &CompareWindow::ready);
        QTRY_COMPARE(ready.count(), 1);
        QCOMPARE(window.studies()->rowCount(), 3);
        QCOMPARE(window.panel()->arms()->columnCount(), 8);
        // The first two become one side, typed as a person does.
        QTableWidget* studies = window.studies();
        studies->setFocus();
        studies->setCurrentCell(1, 0);
        QTest::keyClick(studies, Qt::Key_F2);
        auto* edit = studies->findChild<QLineEdit*>();
        QVERIFY(edit != nullptr);
        edit->setText(QStringLiteral(" old "));
        QTest::keyClick(edit, Qt::Key_Return);
        QTRY_COMPARE(ready.count(), 2);
        QCOMPARE(studies->item(1, 0)->text(), QStringLiteral("old"));
        QCOMPARE(window.panel()->arms()->columnCount(), 5);
        QVERIFY(window.panel()->words().contains("Slower in slow than in old: mmap"));
        QVERIFY(window.isVisible());  // Return only ended the editing
        // No name at all isn't one.
        studies->item(1, 0)->setText(QStringLiteral("  "));
        QCOMPARE(studies->item(1, 0)->text(), QStringLiteral("old"));
        QTRY_COMPARE(ready.count(), 3);
        // All in one side: nothing to compare with, and said so.
        studies->item(2, 0)->setText(QStringLiteral("old"));
        QTRY_COMPARE(ready.count(), 4);
        QVERIFY2(window.problem().contains("nothing to compare with"), qPrintable(window.problem()));
        QVERIFY(!button(window, "Copy as Markdown")->isEnabled());
        QVERIFY(!window.panel()->isVisible());
    }

    void firstAndRemoved() {
        CompareWindow window(nullptr, {path("old"), path("same"), path("slow")});
        window.show();
        QSignalSpy ready(&window, &CompareWindow::ready);
        QTRY_COMPARE(ready.count(), 1);
        QVERIFY(!button(window, "Make first")->isEnabled());
        window.studies()->selectRow(2);
        QTest::mouseClick(button(window, "Make first"), Qt::LeftButton);
        QTRY_COMPARE(ready.count(), 2);
        QCOMPARE(window.studies()->item(0, 0)->text(), QStringLiteral("slow"));
        QVERIFY2(window.panel()->words().startsWith("Faster in old than in slow: mmap"),
                 qPrintable(window.panel()->words()));
        window.studies()->selectRow(1);
        QTest::mouseClick(button(window, "Remove"), Qt::LeftButton);
        QTRY_COMPARE(ready.count(), 3);
        QCOMPARE(window.studies()->rowCount(), 2);
        QVERIFY(QFile::exists(path("old")));
        QVERIFY(window.panel()->words().startsWith("Faster in same than in slow: mmap"));
    }

    void addedOnes() {
        CompareWindow window(nullptr, {path("old"), path("slow")});
        QSignalSpy ready(&window, &CompareWindow::ready);
        QTRY_COMPARE(ready.count(), 1);
        window.add({path("old")});
        QTRY_COMPARE(ready.count(), 2);
        QCOMPARE(window.studies()->item(2, 0)->text(), QStringLiteral("old (2)"));
        // What can't be read is told, and changes nothing.
        window.add({path("same"), "/nowhere/x.json"});
        QTRY_COMPARE(ready.count(), 3);
        QVERIFY(window.findChild<MessageLine*>()->text().contains("/nowhere/x.json"));
        QCOMPARE(window.studies()->rowCount(), 3);
        QCOMPARE(window.problem(), QString());
        QVERIFY(button(window, "Add…")->isEnabled());
    }

    void savedBesideTheStudiesNeverOverThem() {
        CompareWindow window(nullptr, {path("old"), path("slow")});
        QSignalSpy ready(&window, &CompareWindow::ready);
        QSignalSpy saved(&window, &CompareWindow::saved);
        QTRY_COMPARE(ready.count(), 1);
        const QString out = home_.path("comparison.md");
        window.saveAs(comparisonToMarkdown, out);
        QTRY_COMPARE(saved.count(), 1);
        QVERIFY(contentOf(out).contains("| mmap |"));
        const QByteArray before = contentOf(path("slow"));
        window.saveAs(comparisonToJson, path("slow"));
        QTRY_VERIFY(window.findChild<MessageLine*>()->text().contains("one of the studies"));
        QCOMPARE(contentOf(path("slow")), before);
        QCOMPARE(saved.count(), 1);
    }

    void fromTheMenuBesideTheOpenStudy() {
        MainWindow window;
        window.show();
        QSignalSpy replaced(window.controller(), &StudyController::studyReplaced);
        window.openStudy(path("old"));
        QTRY_COMPARE_WITH_TIMEOUT(replaced.count(), 1, kPatience);
        window.findChild<QAction*>("actionCompare")->trigger();
        auto* dialog = window.findChild<QFileDialog*>();
        QVERIFY(dialog != nullptr);
        emit dialog->filesSelected({path("slow")});
        dialog->close();
        auto* compare = window.findChild<CompareWindow*>();
        QVERIFY(compare != nullptr);
        QTRY_COMPARE(compare->studies()->rowCount(), 2);
        QTRY_VERIFY(compare->panel()->words().startsWith("Slower in slow than in open study: mmap"));
    }

    void droppedTogether() {
        MainWindow window;
        window.show();
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path("old")), QUrl::fromLocalFile(path("slow"))});
        const QPoint middle = window.rect().center();
        QDragEnterEvent enter(middle, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(middle, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &drop);
        auto* compare = window.findChild<CompareWindow*>();
        QVERIFY(compare != nullptr);
        QTRY_VERIFY(compare->panel()->words().startsWith("Slower in slow than in old: mmap"));
        QVERIFY(window.controller()->study() == nullptr);  // nothing is opened or run
    }

    void everyControlHasAName() {
        CompareWindow window(nullptr, {path("old"), path("slow")});
        QSignalSpy ready(&window, &CompareWindow::ready);
        window.show();
        QTRY_COMPARE(ready.count(), 1);
        for (const auto* table : window.findChildren<QTableWidget*>()) {
            QVERIFY(!table->accessibleName().isEmpty());
        }
        for (const auto* one : window.findChildren<QPushButton*>()) {
            QVERIFY(!one->text().isEmpty());
        }
    }

  private:
    [[nodiscard]] QString path(const char* name) const {
        return home_.path(qPrintable(QString(name) + ".json"));
    }

    void write(const char* name, double mmapMs, std::uint64_t seed) {
        SplitMix64 random(seed);
        Study study = measuredStudy({"read", "mmap", "pread"}, 15, [&](std::uint32_t arm, unsigned) {
            return noisyWall(random, arm == 1 ? mmapMs : 10);
        });
        study.complete = true;
        summarize(study);
        QVERIFY(saveStudy(study, path(name).toStdString()).has_value());
    }

    Home home_;
};

QTEST_MAIN(TestGuiCompare)
#include "tst_gui_compare.moc"
