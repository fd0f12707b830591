// A sweep through the window: asked for in the wizard, watched, paused, gone on with, and its points opened.
#include <QAbstractButton>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QtTest>
#include <map>
#include <set>

#include "app/gui/arms_panel.h"
#include "app/gui/main_window.h"
#include "app/gui/message_line.h"
#include "app/gui/study_bar.h"
#include "app/gui/study_controller.h"
#include "app/gui/sweep_pages.h"
#include "app/gui/sweep_wizard.h"
#include "app/gui/user_data.h"
#include "gui_support.h"
#include "run/memory_cap.h"
#include "study/sweep_points.h"
#include "widgets/compare_panel.h"
#include "widgets/sweep_chart.h"
#include "widgets/sweep_panel.h"

using namespace mmapscope;
using namespace mmapscope::testing;

namespace {

constexpr int kPatience = 30'000;
/// A window that is drawn by software, on cores that measure; under sanitizers all is several times slower.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr qint64 kLongestStallMs = 3000;
#else
constexpr qint64 kLongestStallMs = 500;
#endif

void trigger(MainWindow& window, const char* action) {
    auto* found = window.findChild<QAction*>(QLatin1String(action));
    QVERIFY2(found != nullptr, action);
    QVERIFY2(found->isEnabled(), action);
    found->trigger();
}

SweepWizard* wizardOf(MainWindow& window) {
    return window.findChild<SweepWizard*>();
}

/// Presses Next once the page allows it.
void next(SweepWizard& wizard) {
    QAbstractButton* button = wizard.button(QWizard::NextButton);
    const int before = wizard.currentId();
    QTRY_VERIFY_WITH_TIMEOUT(button->isEnabled(), kPatience);
    QTest::mouseClick(button, Qt::LeftButton);
    QTRY_VERIFY(wizard.currentId() != before);
}

void setText(const QWidget& parent, const char* field, const QString& text) {
    auto* edit = parent.findChild<QLineEdit*>(QLatin1String(field));
    QVERIFY2(edit != nullptr, field);
    edit->setText(text);
}

void setValue(const QWidget& parent, const char* field, int value) {
    auto* box = parent.findChild<QSpinBox*>(QLatin1String(field));
    QVERIFY2(box != nullptr, field);
    box->setValue(value);
}

}  // namespace

class TestGuiSweep : public QObject {
    Q_OBJECT

  private:
    Home home_;
    QString sample_;

    std::unique_ptr<MainWindow> window() {
        auto made = std::make_unique<MainWindow>();
        made->setWorkerProgram(QStringLiteral(MMAPSCOPE_WORKER));
        made->resize(1440, 900);
        made->show();
        return made;
    }

    /// Through the wizard to a sweep of four sizes, five rounds each. `capped`: 24 MiB.
    void ask(MainWindow& window, bool capped) {
        trigger(window, "actionSweep");
        QTRY_VERIFY(wizardOf(window) != nullptr);
        SweepWizard& wizard = *wizardOf(window);
        if (wizard.button(QWizard::NextButton)->isEnabled() == false) {
            wizard.chooseFile(sample_);
        }
        next(wizard);
        next(wizard);  // the arms as they are preselected
        auto* capBox = wizard.findChild<QAbstractButton*>("sweepCapped");
        QTRY_VERIFY_WITH_TIMEOUT(!wizard.findChild<QLineEdit*>("sweepTo")->text().isEmpty(), kPatience);
        if (capBox->isChecked() != capped) {
            capBox->click();
        }
        setText(wizard, "sweepCap", "24MiB");
        setText(wizard, "sweepFrom", "4MiB");
        setText(wizard, "sweepTo", "40MiB");
        setValue(wizard, "sweepPoints", 4);
        next(wizard);
        setValue(wizard, "sweepRounds", 5);
        setValue(wizard, "sweepMore", 2);
        QVERIFY(wizard.findChild<QLabel*>("sweepCost")->text().contains("runs at 4 sizes"));
        QTest::mouseClick(wizard.button(QWizard::FinishButton), Qt::LeftButton);
    }

  private slots:
    void initTestCase() {
        sample_ = home_.makeSample(CorpusKind::ticks, mib(48), "sample.csv");
        QVERIFY(!sample_.isEmpty());
        rememberMayEvict();  // the question has a test of its own
    }

    void fromTheWizardToCrossoversPausedInBetween() {
        const auto place = findCapPlace();
        auto window = this->window();
        StallWatch watch;
        ask(*window, place.has_value());
        // The file is opened first; then the sweep runs.
        QTRY_VERIFY_WITH_TIMEOUT(window->controller()->running(), kPatience);
        auto* panel = window->findChild<SweepPanel*>();
        auto* pause = panel->findChild<QPushButton*>("sweepPause");
        auto* resume = panel->findChild<QPushButton*>("sweepResume");
        StudyController& controller = *window->controller();
        QSignalSpy finished(&controller, &StudyController::finished);
        const auto points = [&] { return controller.study() ? sizesOf(*controller.study()).size() : 0; };
        QTRY_VERIFY_WITH_TIMEOUT(points() >= 2 || finished.count() > 0, kPatience);
        QCOMPARE(finished.count(), 0);
        QTRY_VERIFY(pause->isVisible() && !resume->isVisible());
        QTest::mouseClick(pause, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        QVERIFY(!controller.study()->sweep->complete);
        QTRY_VERIFY(resume->isVisible() && !pause->isVisible());

        QTest::mouseClick(resume, Qt::LeftButton);
        QTRY_VERIFY(controller.running());
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, kPatience);
        QVERIFY2(window->findChild<MessageLine*>()->text().isEmpty(),
                 qPrintable(window->findChild<MessageLine*>()->text()));
        const auto study = controller.study();
        QVERIFY(study->sweep->complete);
        QVERIFY(sizesOf(*study).size() >= 4);
        std::map<std::pair<std::uint64_t, std::uint32_t>, std::set<unsigned>> rounds;
        for (const RunRecord& run : study->runs) {
            // Arms that hold the whole file in memory can't, beyond the cap.
            if (place && run.status == RunStatus::unavailable) {
                QVERIFY2(run.error.find("memory cap") != std::string::npos, run.error.c_str());
                continue;
            }
            QVERIFY2(run.status == RunStatus::ok, run.error.c_str());
            if (run.phase == Phase::measured) {
                const bool fresh = rounds[{run.limit->count(), run.arm}].insert(run.round).second;
                QVERIFY(fresh);
            }
            QCOMPARE(run.cap.has_value(), place.has_value());
        }
        qInfo("longest stall of the event loop: %lld ms", static_cast<long long>(watch.longestMs()));
        QVERIFY(watch.longestMs() < kLongestStallMs);

        // Chart, words, and the runs of a size in Compare.
        QTRY_VERIFY(!panel->words().isEmpty() && panel->words().contains("read"));
        QCOMPARE(window->findChild<QTabWidget*>("tabs")->currentWidget(), panel);
        auto* sizes = panel->findChild<QComboBox*>("sweepSize");
        QTRY_COMPARE(sizes->count(), static_cast<int>(sizesOf(*study).size()));
        sizes->setCurrentIndex(sizes->count() - 1);
        QTest::mouseClick(panel->findChild<QPushButton*>("sweepCompare"), Qt::LeftButton);
        auto* compare = window->findChild<ComparePanel*>();
        QCOMPARE(window->findChild<QTabWidget*>("tabs")->currentWidget(), compare);
        QCOMPARE(compare->table()->model()->rowCount(), static_cast<int>(study->arms.size()));
    }

    void theWizardSaysWhatIsWrong() {
        auto window = this->window();
        trigger(*window, "actionSweep");
        QTRY_VERIFY(wizardOf(*window) != nullptr);
        SweepWizard& wizard = *wizardOf(*window);
        QVERIFY(!wizard.button(QWizard::NextButton)->isEnabled());  // no file yet
        wizard.chooseFile(home_.path("nothing-here"));
        auto* page = wizard.findChild<SweepFilePage*>();
        const auto said = [&] {
            QString all;
            for (const QLabel* label : page->findChildren<QLabel*>()) {
                all += label->isVisible() ? label->text() : QString();
            }
            return all;
        };
        QTRY_VERIFY2(said().contains("nothing-here"), qPrintable(said()));
        QVERIFY(!wizard.button(QWizard::NextButton)->isEnabled());
        wizard.chooseFile(sample_);
        next(wizard);
        next(wizard);
        QTRY_VERIFY(!wizard.findChild<QLineEdit*>("sweepTo")->text().isEmpty());
        setText(wizard, "sweepTo", "1TiB");
        QVERIFY(!wizard.button(QWizard::NextButton)->isEnabled());
        setText(wizard, "sweepTo", "rubbish");
        QVERIFY(!wizard.button(QWizard::NextButton)->isEnabled());
        setText(wizard, "sweepTo", "40MiB");
        QVERIFY(wizard.button(QWizard::NextButton)->isEnabled());
        wizard.reject();
        QVERIFY(!window->controller()->running());
    }
};

QTEST_MAIN(TestGuiSweep)
#include "tst_gui_sweep.moc"
