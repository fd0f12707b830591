// mmapscope-cli lesson: what is built in, checking a file of one's own, and a run from question to notebook.
#include <signal.h>

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include "cli_support.h"

using mmapscope::testing::Ended;

namespace {

Ended lesson(const QStringList& arguments, const QByteArray& input = {}) {
    QProcess process;
    process.start(QStringLiteral(MMAPSCOPE_CLI), QStringList{"lesson"} + arguments);
    process.write(input);
    process.closeWriteChannel();
    process.waitForFinished(120'000);
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

QString diskTemplate() {
    return QStringLiteral("/var/tmp/tst_cli_lesson-XXXXXX");
}

bool isEmpty(const QString& folder) {
    return QDir(folder).isEmpty(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden);
}

QString shipped(const char* name) {
    return QStringLiteral(MMAPSCOPE_SOURCE_DIR "/resources/lessons/") + QLatin1String(name);
}

}  // namespace

class TestCliLesson : public QObject {
    Q_OBJECT

  private slots:
    void nineAreListed() {
        const Ended ended = lesson({"list"});
        QCOMPARE(ended.status, 0);
        QCOMPARE(ended.out.count('\n'), 9);
        QVERIFY(ended.out.startsWith("touch"));
        for (const QString& line : ended.out.split('\n', Qt::SkipEmptyParts)) {
            const Ended shown = lesson({"show", line.section(' ', 0, 0)});
            QCOMPARE(shown.status, 0);
            QVERIFY(shown.out.contains("Your prediction") && shown.out.contains("Variation 2"));
            QVERIFY(!shown.out.contains("**") && !shown.out.contains("{{"));
        }
    }

    void theShippedOnesPassTheCheck() {
        const QDir folder(QStringLiteral(MMAPSCOPE_SOURCE_DIR "/resources/lessons"));
        QStringList files;
        for (const QString& file : folder.entryList({"*.md"})) {
            files << folder.filePath(file);
        }
        QCOMPARE(files.size(), 9);
        const Ended ended = lesson(QStringList{"check"} + files);
        QVERIFY2(ended.status == 0 && !ended.out.contains("warning:"), qPrintable(ended.out));
    }

    void aBadOneIsRefusedWithItsLine() {
        const QTemporaryDir folder;
        QFile good(shipped("1-touch.md"));
        QVERIFY(good.open(QIODevice::ReadOnly));
        QByteArray text = good.readAll();
        text.replace("minutes: 5", "minutes: five");
        QFile bad(folder.filePath("bad.md"));
        QVERIFY(bad.open(QIODevice::WriteOnly));
        bad.write(text);
        bad.close();
        const Ended checked = lesson({"check", bad.fileName()});
        QCOMPARE(checked.status, 2);
        QVERIFY2(checked.out.startsWith(bad.fileName() + ":4: error: minutes"), qPrintable(checked.out));
        for (const char* command : {"show", "run"}) {
            const Ended ended = lesson({command, bad.fileName()});
            QCOMPARE(ended.status, 2);
            QVERIFY2(ended.err.contains("bad.md:4: error: minutes"), qPrintable(ended.err));
        }
    }

    void fromQuestionToNotebook() {
        const QTemporaryDir samples(diskTemplate()), out;
        const Ended ended =
            lesson({"run", "touch", "--predict", "every", "--folder", samples.path(), "--quiet", "--markdown",
                    out.filePath("page.md"), "--keep-studies", out.path()});
        QVERIFY2(ended.status == 0, qPrintable(ended.err));
        for (const char* part : {"You predicted: One for every page", "Measured here: ", "minor faults",
                                 "fault-around", "Sources", "lesson run touch --variation 2"}) {
            QVERIFY2(ended.out.contains(part), part);
        }
        QVERIFY(!ended.out.contains("{{"));
        QFile page(out.filePath("page.md"));
        QVERIFY(page.open(QIODevice::ReadOnly));
        QVERIFY(page.readAll().contains("## Measured on"));
        QVERIFY(QFile::exists(out.filePath("touch.json")));
        QVERIFY2(isEmpty(samples.path()), "samples were left");
    }

    void thePredictionIsAskedFor() {
        const QTemporaryDir samples(diskTemplate());
        const QStringList run{"run", "touch", "--folder", samples.path(), "--quiet"};
        const Ended asked = lesson(run, "some\n");
        QVERIFY2(asked.status == 0, qPrintable(asked.err));
        QVERIFY(asked.err.contains("your prediction:") && asked.out.contains("You predicted: Far fewer"));
        const Ended silent = lesson(run);
        QCOMPARE(silent.status, 2);
        QVERIFY(silent.err.contains("--predict"));
    }

    void aVariationRuns() {
        const QTemporaryDir samples(diskTemplate());
        const Ended ended =
            lesson({"run", "touch", "--variation", "1", "--folder", samples.path(), "--quiet"});
        QVERIFY2(ended.status == 0, qPrintable(ended.err));
        QVERIFY(ended.out.contains("larger pieces") && !ended.out.contains("{{"));
    }

    void cancelledLeavesNothing() {
        const QTemporaryDir samples(diskTemplate());
        QProcess process;
        process.start(QStringLiteral(MMAPSCOPE_CLI),
                      {"lesson", "run", "fits", "--predict", "tied", "--folder", samples.path(), "--quiet"});
        QVERIFY(process.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(!isEmpty(samples.path()), 20'000);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(20'000));
        QCOMPARE(process.exitCode(), 130);
        QVERIFY2(isEmpty(samples.path()), "samples were left");
    }

    void refusals_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("words");
        QTest::newRow("unknown") << QStringList{"show", "nothing"}
                                 << "there is no lesson nothing; there are touch,";
        QTest::newRow("no file") << QStringList{"check", "/nonexistent.md"} << "/nonexistent.md";
        QTest::newRow("a folder") << QStringList{"check", "/tmp"} << "is no plain file";
        QTest::newRow("answer") << QStringList{"run", "touch", "--predict", "maybe"} << "every, some, none";
        QTest::newRow("variation") << QStringList{"run", "touch", "--variation", "3"} << "this lesson has 2";
        QTest::newRow("folder") << QStringList{"run",  "touch",    "--predict",
                                               "some", "--folder", "/nonexistent"}
                                << "--folder";
        QTest::newRow("studies") << QStringList{"run",  "touch",          "--predict",
                                                "some", "--keep-studies", "/nonexistent"}
                                 << "is not a folder";
        QTest::newRow("page") << QStringList{"run",  "touch",      "--predict",
                                             "some", "--markdown", "/nonexistent/p.md"}
                              << "/nonexistent";
    }
    void refusals() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, words);
        const Ended ended = lesson(arguments);
        QCOMPARE(ended.status, 2);
        QVERIFY2(ended.err.contains(words), qPrintable(ended.err));
        QCOMPARE(ended.err.count('\n'), 1);
    }
};

QTEST_GUILESS_MAIN(TestCliLesson)
#include "tst_cli_lesson.moc"
