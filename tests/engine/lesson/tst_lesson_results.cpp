// What was measured takes its place in texts; predictions are held against it; a real lesson runs.
#include <QTemporaryDir>
#include <QtTest>

#include "engine/lesson/lesson_fixtures.h"
#include "lesson/judgement.h"
#include "lesson/lesson_check.h"
#include "lesson/lesson_figures.h"
#include "lesson/lesson_library.h"
#include "lesson/lesson_report.h"
#include "lesson/lesson_runner.h"
#include "lesson/recorded.h"
#include "report/study_file.h"

using namespace mmapscope;
using mmapscope::testing::lessonText;
using mmapscope::testing::results;

namespace {

Lesson lesson(const QByteArray& text = lessonText()) {
    return *checkLesson({text.constData(), static_cast<std::size_t>(text.size())}).lesson;
}

QByteArray numberLesson() {
    QByteArray text = lessonText();
    const qsizetype begin = text.indexOf("kind:");
    text.replace(begin, text.indexOf("variations:") - begin, R"(kind: number
unit: faults
least: 0
most: 1000
answer: arm.mmap.minor_faults
wrong:
  - when: above
    right: Above, right.
    not: Above, wrong: {{arm.mmap.minor_faults}}.
  - when: 0 to 3
    right: Hardly any, right.
    not: Hardly any, wrong.
)");
    return text;
}

}  // namespace

class TestLessonResults : public QObject {
    Q_OBJECT

  private slots:
    void figures_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<double>("number");
        QTest::addColumn<QString>("text");
        QTest::newRow("faults") << "arm.mmap.minor_faults" << 16.0 << "16";
        QTest::newRow("pages a fault") << "arm.mmap.pages_per_fault" << 16.0 << "16";
        QTest::newRow("bytes a fault") << "arm.mmap.bytes_per_fault" << 65536.0 << "64 KiB";
        QTest::newRow("ratio") << "arm.mmap.ratio" << 1.25 << "1.25";
        QTest::newRow("wall") << "arm.mmap.wall" << 2e6 << "2.00 ms";
        QTest::newRow("share") << "arm.mmap.setup_share" << 0.25 << "25 %";
        QTest::newRow("pages") << "study.pages" << 256.0 << "256";
        QTest::newRow("bytes") << "study.bytes" << 1048576.0 << "1 MiB";
    }
    void figures() {
        QFETCH(QString, name);
        QFETCH(double, number);
        QFETCH(QString, text);
        const LessonFigure figure = figureOf(results(16), name.toStdString());
        QVERIFY2(figure.number.has_value(), figure.reason.c_str());
        QCOMPARE(*figure.number, number);
        QCOMPARE(QString::fromStdString(figure.text), text);
    }

    void wordsAreNoNumbers() {
        const LessonFigure verdict = figureOf(results(16), "arm.mmap.verdict");
        QVERIFY(!verdict.number);
        QCOMPARE(verdict.text, std::string("faster"));
        QCOMPARE(figureOf(results(16), "arm.mmap.interval").text, std::string("1.20 to 1.30"));
    }

    /// Every name of the list is known, and has a value or says why not.
    void everyNameResolves() {
        for (const FigureName& known : figureNames()) {
            const std::string name = (known.ofArm ? "arm.mmap." : "study.") + std::string(known.name);
            QVERIFY2(checkFigure(lesson().runs, name, known.isNumber), name.c_str());
            const LessonFigure figure = figureOf(results(16), name);
            QVERIFY2(figure.text.empty() != figure.reason.empty(), name.c_str());
            QVERIFY2(known.isNumber || !figure.number, name.c_str());
            QVERIFY2(!figure.number || !figure.text.empty(), name.c_str());
        }
    }

    void whatIsMissingSaysWhy() {
        QCOMPARE(filledText("{{arm.mmap.private_peak}}.", results(16)),
                 std::string("(not available here: the runs didn't tell it)."));
        LessonResults none;
        none.measured.push_back({"", std::nullopt, "no control groups", false});
        QCOMPARE(filledText("a {{study.pages}} b", none),
                 std::string("a (not available here: no control groups) b"));
        LessonResults refused = results(16);
        refused.measured[0].study->runs[2].status = RunStatus::unavailable;
        refused.measured[0].study->runs[2].error = "needs 8 huge pages";
        QCOMPARE(filledText("{{arm.mmap.wall}}", refused),
                 std::string("(not available here: needs 8 huge pages)"));
        QCOMPARE(filledText("{{small.study.pages}}", results(16)),
                 std::string("(not available here: it was not run)"));
    }

    /// A table whose every cell holds a sentence can't be read.
    void aReasonIsSaidOnce() {
        LessonResults none;
        none.measured.push_back({"", std::nullopt, "no control groups", false});
        QCOMPARE(filledText("| {{study.pages}} | {{study.bytes}} |", none),
                 std::string("| – | – |\n\n–: not available here: no control groups"));
        QCOMPARE(filledText("{{study.pages}}, {{study.bytes}}", none),
                 std::string("(not available here: no control groups), (not available here)"));
        QCOMPARE(filledText("{{study.pages}}\n| {{study.bytes}} |", none),
                 std::string("(not available here: no control groups)\n| – |"));
    }

    void noFaultIsNoDivisionByZero() {
        const LessonFigure figure = figureOf(results(0), "arm.mmap.pages_per_fault");
        QVERIFY(!figure.number);
        QCOMPARE(figure.reason, std::string("a run took no minor fault"));
    }

    /// What comes from outside can't become markup.
    void figuresAreTakenLiterally() {
        LessonResults hostile = results(16);
        hostile.measured[0].study->environment.filesystem = "<b>*x*";
        QCOMPARE(filledText("{{study.filesystem}}", hostile), std::string("\\<b\\>\\*x\\*"));
    }

    void counts() {
        QCOMPARE(countWords(0), std::string("0"));
        QCOMPARE(countWords(57.93), std::string("57.9"));
        QCOMPARE(countWords(999), std::string("999"));
        QCOMPARE(countWords(1234567), std::string("1,234,567"));
        QCOMPARE(countWords(1025.5), std::string("1,026"));
    }

    void choicesAreJudged() {
        const Lesson asked = lesson();
        const Predicted few{"few", 0};
        const Judgement right = judgePrediction(asked, few, results(16));
        QCOMPARE(right.right, std::optional(true));
        QCOMPARE(right.measured, std::string("Few"));
        QVERIFY(right.help.empty());
        const Judgement wrong = judgePrediction(asked, few, results(200));
        QCOMPARE(wrong.right, std::optional(false));
        QCOMPARE(wrong.measured, std::string("Many"));
        QCOMPARE(wrong.help.size(), std::size_t(1));
        const std::string told = lessonJudged(asked, few, results(200));
        QVERIFY(told.find("It was 200.") != std::string::npos &&
                told.find("Fewer faults") == std::string::npos);
    }

    void whatCantBeJudgedSaysWhy() {
        LessonResults none;
        none.measured.push_back({"", std::nullopt, "no room for a sample", false});
        const Judgement judged = judgePrediction(lesson(), {"few", 0}, none);
        QVERIFY(!judged.right && judged.help.empty());
        QVERIFY(judged.reason.find("no room for a sample") != std::string::npos);
    }

    void numbersAreJudged_data() {
        QTest::addColumn<double>("predicted");
        QTest::addColumn<int>("measured");
        QTest::addColumn<bool>("right");
        QTest::addColumn<QString>("help");
        QTest::newRow("exact") << 100.0 << 100 << true << "";
        QTest::newRow("twice") << 200.0 << 100 << true << "";
        QTest::newRow("over twice") << 201.0 << 100 << false << "Above, wrong: 100.";
        QTest::newRow("under half") << 49.0 << 100 << false << "";
        QTest::newRow("a range") << 2.0 << 100 << false << "Hardly any";
        QTest::newRow("none is none") << 0.0 << 0 << true << "";
        QTest::newRow("some for none") << 5.0 << 0 << false << "Above";
    }
    void numbersAreJudged() {
        QFETCH(double, predicted);
        QFETCH(int, measured);
        QFETCH(bool, right);
        QFETCH(QString, help);
        const Lesson asked = lesson(numberLesson());
        const auto got = results(static_cast<std::uint64_t>(measured));
        QCOMPARE(judgePrediction(asked, {"", predicted}, got).right, std::optional(right));
        const QString told = QString::fromStdString(lessonJudged(asked, Predicted{"", predicted}, got));
        QVERIFY2(help.isEmpty() ? !told.contains("What is right") : told.contains(help), qPrintable(told));
    }

    void predictionsAreRead() {
        const Lesson choice = lesson();
        QCOMPARE(parsePrediction(choice.prediction, " few ")->option, std::string("few"));
        QVERIFY(parsePrediction(choice.prediction, "none").error().message.find("few, many") !=
                std::string::npos);
        const Lesson number = lesson(numberLesson());
        QCOMPARE(parsePrediction(number.prediction, "1,000")->number, 1000.0);
        for (const char* bad : {"", "x", "1001", "-1", "nan", "inf", "5 faults", "1e999"}) {
            QVERIFY2(!parsePrediction(number.prediction, bad), bad);
        }
    }

    void aNotebookIsComplete() {
        const std::string page = lessonNotebook(lesson(), Predicted{"many", 0}, results(16), "I see.\n");
        for (const char* part :
             {"# A small lesson", "How many?", "You predicted: Many", "Measured here: **Few**", "| mmap |",
              "## In my own words\n\nI see.", "There were 16 faults", "- mmap(2)"}) {
            QVERIFY2(page.find(part) != std::string::npos, part);
        }
    }

    /// Each is a study of one of the built-in lessons' runs, with every figure the lesson asks for.
    void whatWasRecordedIsWhole() {
        QVERIFY(!recordedTexts().empty());
        for (const LessonText& text : recordedTexts()) {
            const std::string file(text.file);
            const std::string name = file.substr(0, file.size() - std::string(".json").size());
            const auto study = studyFromJson(text.text);
            QVERIFY2(study.has_value(), file.c_str());
            bool known = false;
            for (const Lesson& each : builtInLessons()) {
                for (const LessonRun& run : each.runs) {
                    if (name != each.id + (run.name.empty() ? "" : "-" + run.name)) {
                        continue;
                    }
                    known = true;
                    QVERIFY(study->complete && study->plan.rounds == run.study.rounds);
                    QCOMPARE(study->plan.cache, run.study.cache);
                    QCOMPARE(study->plan.memoryCap, run.study.memoryCap);
                    std::vector<std::string> arms;
                    for (const Arm& arm : study->arms) {
                        arms.push_back(arm.id);
                    }
                    QCOMPARE(arms, run.study.labels);
                }
            }
            QVERIFY2(known, file.c_str());
        }
    }

    void whatCantBeShownHereWasRecorded_data() {
        QTest::addColumn<QString>("lesson");
        for (const char* id : {"pool", "fits", "tlb"}) {
            QTest::newRow(id) << id;
        }
    }
    void whatCantBeShownHereWasRecorded() {
        QFETCH(QString, lesson);
        const Lesson& asked = *findLesson(lesson.toStdString());
        LessonResults none;
        none.complete = true;
        for (const LessonRun& run : asked.runs) {
            none.measured.push_back({run.name, std::nullopt, "no such thing", false, ErrorKind::unavailable});
        }
        const LessonResults shown = withRecorded(asked, none);
        QVERIFY(hasRecorded(shown));
        const std::string after = lessonAfter(asked, shown);
        QVERIFY2(after.find("not available") == std::string::npos &&
                     after.find("recorded on another") != std::string::npos,
                 after.c_str());
        QVERIFY(lessonTables(shown).find("Not available here: no such thing") != std::string::npos);
        const Predicted predicted{asked.prediction.options[0].name, 0};
        QVERIFY(judgePrediction(asked, predicted, shown).right.has_value());
        QVERIFY(lessonJudged(asked, predicted, shown).find("Recorded on another machine: **") !=
                std::string::npos);
        QVERIFY(lessonNotebook(asked, predicted, shown, "").find("- recorded elsewhere: ") !=
                std::string::npos);

        LessonResults stopped = none;
        stopped.complete = false;
        QVERIFY(!hasRecorded(withRecorded(asked, stopped)));
        Lesson own = asked;
        own.after = "Another text.";
        QVERIFY(!hasRecorded(withRecorded(own, none)));
    }

    void whatWasMeasuredStays() {
        QVERIFY(!hasRecorded(withRecorded(*findLesson("pool"), results(16))));
        LessonResults refused = results(16);
        refused.measured[0].study->runs[2].status = RunStatus::unavailable;
        refused.measured[0].study->runs[2].error = "needs 8 huge pages";
        const LessonResults shown = withRecorded(*findLesson("pool"), refused);
        QVERIFY(shown.measured[0].recorded);
        QCOMPARE(shown.measured[0].reason, std::string("needs 8 huge pages"));
    }

    /// The first lesson, measured: its figures resolve, and its samples are gone.
    void aRealOneRuns() {
        const QTemporaryDir folder("/var/tmp/tst_lesson-XXXXXX");
        const Lesson* touch = findLesson("touch");
        QVERIFY(touch != nullptr);
        double last = 0;
        const auto got = runLesson(touch->runs, {folder.path().toStdString(), MMAPSCOPE_WORKER},
                                   [&](const LessonProgress& p) {
                                       QVERIFY(!p.doing.empty() && p.fraction >= 0 && p.fraction <= 1.000001);
                                       last = p.fraction;
                                   },
                                   {});
        QVERIFY2(got.has_value(), got ? "" : got.error().message.c_str());
        QVERIFY(got->complete && got->measured.size() == 1 && last > 0.2);
        QVERIFY(QDir(folder.path()).isEmpty(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden));
        const LessonFigure faults = figureOf(*got, "arm.mmap.minor_faults");
        QVERIFY2(faults.number && *faults.number > 0, faults.reason.c_str());
        const std::string after = lessonAfter(*touch, *got);
        QVERIFY2(
            after.find("not available here") == std::string::npos && after.find("{{") == std::string::npos,
            after.c_str());
        QVERIFY(judgePrediction(*touch, {"some", 0}, *got).right.has_value());
    }

    void stoppedAtOnce() {
        const QTemporaryDir folder("/var/tmp/tst_lesson-XXXXXX");
        std::stop_source stop;
        stop.request_stop();
        const auto got = runLesson(findLesson("touch")->runs, {folder.path().toStdString(), MMAPSCOPE_WORKER},
                                   {}, stop.get_token());
        QVERIFY(got && !got->complete && !got->measured[0].study);
        QVERIFY(QDir(folder.path()).isEmpty(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden));
    }

    void noPlaceForSamples() {
        const auto got = runLesson(findLesson("touch")->runs, {"/nonexistent", MMAPSCOPE_WORKER}, {}, {});
        QVERIFY(!got && got.error().kind == ErrorKind::input);
    }
};

QTEST_GUILESS_MAIN(TestLessonResults)
#include "tst_lesson_results.moc"
