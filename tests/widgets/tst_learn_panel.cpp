// The Learn view without a window: what is asked for, when, and what is shown of results made by hand.
#include <QDoubleSpinBox>
#include <QListWidget>
#include <QPushButton>
#include <QRadioButton>
#include <QSignalSpy>
#include <QTextBrowser>
#include <QtTest>

#include "engine/lesson/lesson_fixtures.h"
#include "lesson/lesson_check.h"
#include "lesson/lesson_library.h"
#include "lesson/lesson_plot.h"
#include "widgets/learn_panel.h"
#include "widgets/lesson_chart.h"
#include "widgets/prediction_box.h"

using namespace mmapscope;
using mmapscope::testing::lessonText;

namespace {

/// What a lesson's runs give, with figures for every arm.
LessonResults resultsOf(const std::vector<LessonRun>& runs) {
    LessonResults results;
    for (const LessonRun& run : runs) {
        Study study = mmapscope::testing::study(100);
        study.arms.clear();
        study.runs.clear();
        study.summary.clear();
        for (std::uint32_t arm = 0; arm < run.study.labels.size(); ++arm) {
            study.arms.push_back(
                {run.study.labels[arm], run.study.arms[arm].source, {}, run.study.workload, {}, 1});
            study.runs.push_back(mmapscope::testing::run(arm, 100 * (arm + 1)));
            ArmSummary summary;
            summary.arm = arm;
            summary.ratio = 1 + 0.1 * arm;
            summary.ratioLow = *summary.ratio - 0.01;
            summary.ratioHigh = *summary.ratio + 0.01;
            summary.verdict = arm == 0 ? Verdict::baseline : Verdict::faster;
            study.summary.push_back(summary);
        }
        results.measured.push_back({run.name, std::move(study), {}, false});
    }
    results.complete = true;
    return results;
}

template <class Widget>
Widget* part(const LearnPanel& panel, const char* name) {
    return panel.findChild<Widget*>(QLatin1String(name));
}

void predictAnything(const LearnPanel& panel) {
    if (auto* number = part<QDoubleSpinBox>(panel, "lessonNumber")) {
        number->setValue(500);
        return;
    }
    panel.findChildren<QRadioButton*>().first()->setChecked(true);
}

}  // namespace

class TestLearnPanel : public QObject {
    Q_OBJECT

  private slots:
    void everyLessonFromTextToFigures_data() {
        QTest::addColumn<int>("lesson");
        for (std::size_t i = 0; i < builtInLessons().size(); ++i) {
            QTest::newRow(builtInLessons()[i].id.c_str()) << static_cast<int>(i);
        }
    }
    void everyLessonFromTextToFigures() {
        QFETCH(int, lesson);
        LearnPanel panel;
        panel.resize(900, 900);
        panel.show();
        panel.choose(lesson);
        auto* page = part<QTextBrowser>(panel, "lessonPage");
        auto* run = part<QPushButton>(panel, "lessonRun");
        QVERIFY(page->toPlainText().startsWith(QString::fromStdString(panel.lesson().title)));
        QVERIFY(run->isVisible() && !run->isEnabled());
        QVERIFY(panel.notebook().isEmpty() && panel.plotImage().isNull());
        predictAnything(panel);
        QVERIFY(run->isEnabled());
        std::vector<LessonRun> asked;
        connect(&panel, &LearnPanel::runAsked, this,
                [&](const std::vector<LessonRun>& runs) { asked = runs; });
        run->click();
        QCOMPARE(asked.size(), panel.lesson().runs.size());
        panel.setRunning(true, true);
        QVERIFY(!run->isVisible() && part<QPushButton>(panel, "lessonStop")->isVisible());
        panel.setRunning(false, false);
        panel.showResults(resultsOf(asked));
        QVERIFY2(page->toPlainText().contains("Explanation"), qPrintable(page->toPlainText()));
        QVERIFY(!page->toPlainText().contains("{{") && !page->toPlainText().contains("**"));
        auto* chart = part<LessonChart>(panel, "lessonChart");
        QVERIFY(chart->isVisible() && chart->words().contains("Predicted: "));
        QVERIFY(panel.notebook().contains("## Explanation"));
        QVERIFY(!panel.plotImage().isNull());
        for (std::size_t i = 0; i < panel.lesson().variations.size(); ++i) {
            auto* button = panel.findChild<QPushButton*>(QStringLiteral("lessonVariation%1").arg(i + 1));
            QVERIFY(button->isVisible() && button->isEnabled());
            button->click();
            QCOMPARE(asked.size(), std::size_t(1));
            panel.showResults(resultsOf(asked));
            QVERIFY(!page->toPlainText().contains("{{"));
            QVERIFY(page->toPlainText().contains(QString::fromStdString(panel.lesson().variations[i].title)));
        }
        QVERIFY(panel.notebook().contains("You predicted"));  // of the lesson, not of a variation
    }

    void anotherLessonStartsAnew() {
        LearnPanel panel;
        panel.show();
        predictAnything(panel);
        part<QPushButton>(panel, "lessonRun")->click();
        panel.showResults(resultsOf(panel.lesson().runs));
        QVERIFY(!panel.notebook().isEmpty());
        part<QListWidget>(panel, "lessonList")->setCurrentRow(1);
        QVERIFY(panel.notebook().isEmpty());
        QVERIFY(part<QPushButton>(panel, "lessonRun")->isVisible());
        QVERIFY(!part<QPushButton>(panel, "lessonRun")->isEnabled());
        QVERIFY(!part<LessonChart>(panel, "lessonChart")->isVisible());
    }

    void itWaitsForOthers() {
        LearnPanel panel;
        panel.show();
        predictAnything(panel);
        panel.setRunning(true, false);
        QVERIFY(!part<QPushButton>(panel, "lessonRun")->isEnabled());
        panel.setRunning(false, false);
        QVERIFY(part<QPushButton>(panel, "lessonRun")->isEnabled());
    }

    void nothingToExplain() {
        LearnPanel panel;
        panel.show();
        predictAnything(panel);
        part<QPushButton>(panel, "lessonRun")->click();
        panel.showResults({});
        QVERIFY(panel.notebook().isEmpty());
        LessonResults none;
        none.measured.push_back({"", std::nullopt, "no room for a sample", false});
        none.complete = true;
        panel.showResults(none);
        QVERIFY(part<QTextBrowser>(panel, "lessonPage")->toPlainText().contains("no room for a sample"));
        QVERIFY(!part<LessonChart>(panel, "lessonChart")->isVisible());
    }

    void aNumberIsOnlyPredictedWhenEntered() {
        LessonPrediction asked;
        asked.kind = PredictionKind::number;
        asked.unit = "faults";
        asked.most = 100;
        PredictionBox box;
        box.setPrediction(asked);
        QVERIFY(!box.predicted());
        auto* number = box.findChild<QDoubleSpinBox*>();
        number->setValue(0);
        QVERIFY(box.predicted() && box.predicted()->number == 0);
        box.setPrediction(asked);
        QVERIFY(!box.predicted());
    }

    void whatIsDrawn() {
        const QByteArray text = lessonText();
        const Lesson lesson = *checkLesson({text.constData(), static_cast<std::size_t>(text.size())}).lesson;
        LessonResults results = mmapscope::testing::results(16);
        LessonPlot plot = lessonPlot(lesson, Predicted{"few", 0}, results);
        QCOMPARE(plot.bars.size(), std::size_t(2));
        QCOMPARE(plot.bars[1].label, std::string("mmap"));
        QCOMPARE(plot.bars[1].value, std::optional(16.0));
        QCOMPARE(plot.predictedText, std::string("Few"));
        QVERIFY(plot.title.find("minor faults") != std::string::npos);
        results.measured[0].study->runs[2].status = RunStatus::unavailable;
        results.measured[0].study->runs[2].error = "no such thing";
        plot = lessonPlot(lesson, std::nullopt, results);
        QVERIFY(!plot.bars[1].value);
        QCOMPARE(plot.bars[1].text, std::string("not available here: no such thing"));
    }

    void bothThemesAndLargeType() {
        LearnPanel panel;
        panel.resize(900, 900);
        panel.show();
        predictAnything(panel);
        part<QPushButton>(panel, "lessonRun")->click();
        panel.showResults(resultsOf(panel.lesson().runs));
        auto* chart = part<LessonChart>(panel, "lessonChart");
        for (const bool dark : {true, false}) {
            QApplication::setPalette(applicationPalette(dark));
            QCoreApplication::processEvents();
            const Theme theme = Theme::forPalette(panel.palette());
            QCOMPARE(theme.isDark(), dark);
            QVERIFY(contrastRatio(chart->xAxis->labelColor(), theme.plotBackground()) >= 4.5);
        }
        const int before = panel.font().pointSize();
        panel.setPresenting(true);
        QCOMPARE(panel.font().pointSize(), 24);
        QCOMPARE(part<QTextBrowser>(panel, "lessonPage")->font().pointSize(), 24);
        QSignalSpy left(&panel, &LearnPanel::presentAsked);
        QTest::keyClick(&panel, Qt::Key_Escape);
        QCOMPARE(left.size(), 1);
        QCOMPARE(left[0][0].toBool(), false);
        panel.setPresenting(false);
        QCOMPARE(panel.font().pointSize(), before);
    }

    void accessibleNames() {
        LearnPanel panel;
        for (const char* name :
             {"lessonList", "lessonPage", "lessonWords", "lessonProgress", "lessonChart"}) {
            QVERIFY2(!panel.findChild<QWidget*>(QLatin1String(name))->accessibleName().isEmpty(), name);
        }
    }
};

QTEST_MAIN(TestLearnPanel)
#include "tst_learn_panel.moc"
