// Advice through the window: asked for, read, and measured.
#include <QAction>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>

#include "app/gui/advice_dialog.h"
#include "app/gui/arms_panel.h"
#include "app/gui/main_window.h"
#include "app/gui/message_line.h"
#include "app/gui/study_controller.h"
#include "app/gui/user_data.h"
#include "gui_support.h"

using namespace mmapscope;
using namespace mmapscope::testing;

class TestGuiAdvice : public QObject {
    Q_OBJECT

  private slots:
    void askedAndMeasured() {
        const QString sample = home_.makeSample(CorpusKind::bytes, mib(8), "sample.bin");
        QVERIFY(!sample.isEmpty());
        rememberMayEvict();
        MainWindow window;
        window.setWorkerProgram(QStringLiteral(MMAPSCOPE_WORKER));
        window.resize(1440, 900);
        window.show();
        auto* action = window.findChild<QAction*>("actionAdvice");
        QVERIFY(action != nullptr && !action->isEnabled());  // no file yet
        window.openPath(sample);
        QTRY_VERIFY(action->isEnabled());
        StallWatch watch;
        action->trigger();
        auto* dialog = window.findChild<AdviceDialog*>();
        QVERIFY(dialog != nullptr);
        QTRY_VERIFY(!dialog->advice().isEmpty());
        QVERIFY2(dialog->advice().startsWith("For " + sample), qPrintable(dialog->advice()));
        QSignalSpy finished(window.controller(), &StudyController::finished);
        QTRY_VERIFY(dialog->measureButton()->isEnabled());
        QTest::mouseClick(dialog->measureButton(), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60'000);
        QVERIFY(window.controller()->study()->complete);
        QTRY_VERIFY2(window.findChild<MessageLine*>()->text().startsWith("Measured"),
                     qPrintable(window.findChild<MessageLine*>()->text()));
        qInfo("longest stall: %lld ms", static_cast<long long>(watch.longestMs()));

        // A study that can't begin leaves the one before on show, which then judges nothing.
        window.setWorkerProgram(QStringLiteral("/nowhere/worker"));
        action->trigger();
        AdviceDialog* second = nullptr;
        QTRY_VERIFY((second = window.findChild<AdviceDialog*>()) != nullptr && second != dialog &&
                    second->measureButton()->isEnabled());
        QTest::mouseClick(second->measureButton(), Qt::LeftButton);
        QTRY_COMPARE(finished.count(), 2);
        QVERIFY2(window.findChild<MessageLine*>()->text().contains("/nowhere/worker"),
                 qPrintable(window.findChild<MessageLine*>()->text()));
    }

    void whatCannotBeLookedAt() {
        AdviceDialog dialog("/nowhere", "scan", {});
        QSignalSpy ready(&dialog, &AdviceDialog::ready);
        dialog.show();
        QTRY_COMPARE(ready.count(), 1);
        QVERIFY(dialog.advice().isEmpty());
        QVERIFY(!dialog.measureButton()->isEnabled());
    }

  private:
    Home home_;
};

QTEST_MAIN(TestGuiAdvice)
#include "tst_gui_advice.moc"
