// Lessons are read, and what is wrong with one is said with its line.
#include <QRandomGenerator>
#include <QtTest>

#include "engine/lesson/lesson_fixtures.h"
#include "lesson/lesson_check.h"
#include "lesson/lesson_library.h"

using namespace mmapscope;
using mmapscope::testing::lessonText;

namespace {

LessonCheck check(const QByteArray& text) {
    return checkLesson({text.constData(), static_cast<std::size_t>(text.size())});
}

QByteArray remarks(const LessonCheck& checked) {
    return QByteArray::fromStdString(remarkLines("x.md", checked.remarks));
}

/// The line of a text's first occurrence, from 1.
qsizetype lineOf(const QByteArray& text, const QByteArray& part) {
    return text.left(text.indexOf(part)).count('\n') + 1;
}

}  // namespace

class TestLessonCheck : public QObject {
    Q_OBJECT

  private slots:
    void aGoodOneIsRead() {
        const LessonCheck checked = check(lessonText());
        QVERIFY2(checked.lesson && checked.remarks.empty(), remarks(checked).constData());
        const Lesson& lesson = *checked.lesson;
        QCOMPARE(lesson.id, std::string("small"));
        QCOMPARE(lesson.minutes, 3U);
        QCOMPARE(lesson.runs.size(), std::size_t(1));
        QCOMPARE(lesson.runs[0].study.labels, (std::vector<std::string>{"read", "mmap"}));
        QCOMPARE(lesson.runs[0].study.size.count(), mib(1).count());
        QCOMPARE(lesson.runs[0].study.rounds, 5U);
        QCOMPARE(lesson.prediction.options.size(), std::size_t(2));
        QCOMPARE(lesson.wrongAnswers[0].options, std::vector<std::string>{"few"});
        QCOMPARE(lesson.variations[1].run.study.size.count(), mib(2).count());
        QCOMPARE(lesson.sources, std::vector<std::string>{"mmap(2)"});
        QVERIFY(lesson.before.find("What is asked") != std::string::npos);
        QVERIFY(lesson.after.find("There were") != std::string::npos);
    }

    void lineEndsAndMarksDontMatter() {
        QByteArray text = lessonText();
        text.replace("\n", "\r\n");
        QVERIFY(check("\xEF\xBB\xBF" + text).lesson);
    }

    void everyShippedOneIsSound() {
        QCOMPARE(lessonTexts().size(), std::size_t(9));
        for (const LessonText& text : lessonTexts()) {
            const LessonCheck checked = checkLesson(text.text);
            QVERIFY2(checked.remarks.empty(), remarkLines(std::string(text.file), checked.remarks).c_str());
            QVERIFY(checked.lesson->variations.size() >= 2 && checked.lesson->wrongAnswers.size() >= 2);
        }
        QCOMPARE(builtInLessons().size(), lessonTexts().size());
        QCOMPARE(builtInLessons().front().id, std::string("touch"));
        QCOMPARE(builtInLessons().back().id, std::string("measure"));
        QVERIFY(findLesson("tlb") != nullptr && findLesson("nothing") == nullptr);
    }

    void whatIsWrongIsSaid_data() {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<QByteArray>("words");
        const auto row = [](const char* name, const char* from, const char* to, const char* words) {
            QTest::newRow(name) << QByteArray(from) << QByteArray(to) << QByteArray(words);
        };
        row("unknown key", "minutes: 3", "minuts: 3", "unknown key \"minuts\"; did you mean \"minutes\"?");
        row("number", "minutes: 3", "minutes: soon", "minutes: a number from 1 to 120");
        row("id", "id: small", "id: A Small One", "small letters, digits and hyphens");
        row("unknown workload", "--workload touch --source read", "--workload tuch --source read",
            "did you mean \"touch\"?");
        row("unknown source", "--source read --source mmap", "--source red --source mmap",
            "did you mean \"read\"?");
        row("unknown parameter", "--source read --source mmap", "--source read:bufer=4KiB --source mmap",
            "bufer");
        row("unknown word", "--rounds 5", "--round 5", "did you mean \"--rounds\"?");
        row("rounds", "--rounds 5", "--rounds 0", "a whole number from 1 to 51");
        row("no value", "--rounds 5", "--rounds", "--rounds needs a value");
        row("twice", "--rounds 5", "--rounds 5 --rounds 6", "--rounds stands twice");
        row("sample", "bytes:1MiB --workload touch --source read", "text:1MiB --workload touch --source read",
            "bytes, ticks or zstd");
        row("sample's size", "bytes:1MiB --workload touch --source read",
            "bytes:9TiB --workload touch --source read", "is not from 1 MiB to 4 GiB");
        row("a lab", "run: study --sample bytes:1MiB --workload touch --source read --source mmap --rounds 5",
            "run: lab tlb-reach", "can't run labs");
        row("cache", "--cache cold", "--cache lukewarm", "warm, warm-small, cold");
        row("kind", "kind: choice", "kind: guess", "choice or number");
        row("condition", "arm.mmap.minor_faults < 0.5", "arm.mmap.minor_faults = 0.5", "compares nothing");
        row("figure in a condition", "arm.mmap.minor_faults < 0.5", "arm.mmap.minor_fault < 0.5",
            "did you mean \"minor_faults\"?");
        row("words in a condition", "arm.mmap.minor_faults < 0.5", "arm.mmap.verdict < 0.5",
            "is not a number");
        row("arm", "There were {{arm.mmap.minor_faults}}", "There were {{arm.map.minor_faults}}",
            "no arm \"map\"; it has read, mmap");
        row("run's name", "There were {{arm.mmap.minor_faults}}",
            "There were {{other.arm.mmap.minor_faults}}", "no run of this lesson is named \"other\"");
        row("figure", "There were {{arm.mmap.minor_faults}}", "There were {{faults}}", "is no figure");
        row("open figure", "There were {{arm.mmap.minor_faults}}", "There were {{arm.mmap.minor_faults",
            "no }} behind it");
        row("figure of a variation", "Now {{study.bytes}}", "Now {{arm.read.wall}}", "no arm \"read\"");
        row("figure before the run", "What is asked.", "{{study.pages}} is asked.", "before the run");
        row("HTML", "There were", "<b>There</b> were", "raw HTML");
        row("HTML in an answer", "One fault can", "One <i>fault</i> can", "raw HTML");
        row("math", "There were", "There were $x^2$ and", "mathematics");
        row("anchor", "There were", "There [were](#here)", "lead nowhere");
        row("picture", "There were", "![plot](plot.png) There were", "no pictures");
        row("footnote", "There were", "There[^1] were", "footnotes");
        row("code without end", "There were", "```\nThere were", "has no end");
        row("second run", "There were", "{{run}}\n\nThere were", "a second {{run}}");
        row("option of a wrong answer", "- when: few", "- when: fewer", "no option \"fewer\"");
        row("unknown key of an entry", "    look: Now {{study.bytes}}.", "    lok: Now",
            "variations has no \"lok\"");
        row("a tab", "    text: Few", "\ttext: Few", "a tab");
        row("no key", "minutes: 3", "three minutes", "is not \"key: value\"");
        row("key twice", "minutes: 3", "id: again", "stands here and in line 2");
    }
    void whatIsWrongIsSaid() {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(QByteArray, words);
        QByteArray text = lessonText();
        const qsizetype line = lineOf(text, from);
        QVERIFY(text.contains(from));
        text.replace(text.indexOf(from), from.size(), to);
        const LessonCheck checked = check(text);
        QVERIFY(!checked.lesson);
        const QByteArray said = remarks(checked);
        bool found = false;
        for (const QByteArray& remark : said.split('\n')) {
            found = found ||
                    (remark.startsWith("x.md:") && remark.contains(": error: ") && remark.contains(words) &&
                     qAbs(remark.mid(5).split(':').first().toInt() - line) <= to.count('\n'));
        }
        QVERIFY2(found, (said + " wanted in line " + QByteArray::number(line)).constData());
    }

    void partsThatAreMissing_data() {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("until");
        QTest::addColumn<QByteArray>("words");
        QTest::newRow("question") << QByteArray("question:") << QByteArray("kind:")
                                  << QByteArray("question is missing");
        QTest::newRow("options") << QByteArray("options:") << QByteArray("wrong:")
                                 << QByteArray("two options or more");
        QTest::newRow("wrong") << QByteArray("wrong:") << QByteArray("variations:")
                               << QByteArray("wrong is missing");
        QTest::newRow("variations") << QByteArray("variations:") << QByteArray("sources:")
                                    << QByteArray("variations is missing");
        QTest::newRow("sources") << QByteArray("sources:") << QByteArray("---\n\nWhat")
                                 << QByteArray("sources are missing");
        QTest::newRow("before") << QByteArray("What is asked") << QByteArray("{{run}}")
                                << QByteArray("no text stands before");
        QTest::newRow("run line") << QByteArray("{{run}}") << QByteArray("There")
                                  << QByteArray("{{run}} is missing");
    }
    void partsThatAreMissing() {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, until);
        QFETCH(QByteArray, words);
        QByteArray text = lessonText();
        const qsizetype begin = text.indexOf(from);
        text.remove(begin, text.indexOf(until, begin) - begin);
        const LessonCheck checked = check(text);
        QVERIFY(!checked.lesson);
        QVERIFY2(remarks(checked).contains(words), remarks(checked).constData());
    }

    void oneWrongAnswerIsAWarning() {
        QByteArray text = lessonText();
        const qsizetype begin = text.indexOf("  - when: many");
        text.remove(begin, text.indexOf("variations:") - begin);
        const LessonCheck checked = check(text);
        QVERIFY(checked.lesson);
        QVERIFY2(remarks(checked).contains("warning: wrong has one entry"), remarks(checked).constData());
    }

    void codeMayHoldAnything() {
        QByteArray text = lessonText();
        text.replace("There were",
                     "`<b>` and `$x$`\n\n```\n<i>$$</i> [x](#y)\n```\n\n5 $ or 6 $, a < b > c\n\nThere were");
        QVERIFY2(check(text).lesson, remarks(check(text)).constData());
    }

    void garbageIsRefused() {
        for (const QByteArray& text :
             {QByteArray(), QByteArray("---"), QByteArray("---\n---\n"), QByteArray("# A title\n"),
              QByteArray("---\n- x\n---\n"), QByteArray("a\0b", 3), QByteArray(300 << 10, 'x')}) {
            const LessonCheck checked = check(text);
            QVERIFY(!checked.lesson && !checked.remarks.empty());
        }
    }

    /// Whatever is done to a lesson, it is read or refused with lines that exist.
    void tamperedOnes() {
        QRandomGenerator random(7);
        for (int i = 0; i < 3000; ++i) {
            QByteArray text = lessonText();
            for (int n = 1 + random.bounded(4); n > 0; --n) {
                const qsizetype at = random.bounded(text.size());
                switch (random.bounded(3)) {
                    case 0:
                        text[at] = static_cast<char>(1 + random.bounded(255));
                        break;
                    case 1:
                        text.remove(at, random.bounded(30));
                        break;
                    default:
                        text.insert(at, text.mid(random.bounded(text.size()), random.bounded(30)));
                }
            }
            const LessonCheck checked = check(text);
            QVERIFY(checked.lesson || !checked.remarks.empty());
            for (const LessonRemark& remark : checked.remarks) {
                QVERIFY(remark.line >= 1 && remark.line <= static_cast<std::size_t>(text.count('\n')) + 2);
                QVERIFY(!remark.text.empty());
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestLessonCheck)
#include "tst_lesson_check.moc"
