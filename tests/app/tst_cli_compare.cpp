// mmapscope-cli compare: formats, refusals, statuses; and the same through the window.
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include "app/gui/compare_window.h"
#include "report/study_file.h"
#include "tests/app/cli_support.h"
#include "tests/engine/study/study_fixtures.h"
#include "widgets/side_by_side_panel.h"

using namespace mmapscope;
using namespace mmapscope::fixtures;
using namespace mmapscope::testing;

class TestCliCompare : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QVERIFY(folder_.isValid());
        write("old", 8, 1);
        write("same", 8, 2);
        write("slow", 12, 3);
        write("larger", 8, 4, [](Study& study) { study.plan.fileBytes = mib(2); });
    }

    void theSameIsTied() {
        const Ended ended = cli({"compare", path("old"), path("same"), "--fail-if-slower", "0"});
        QVERIFY2(ended.status == 0, qPrintable(ended.err));
        QVERIFY(ended.err.isEmpty());
        QVERIFY(ended.out.contains("× old"));
        QVERIFY(
            ended.out.contains("No change that the intervals tell between old and same: read, mmap, pread."));
    }

    void slowerEndsWithFour() {
        const Ended ended = cli({"compare", path("old"), path("slow"), "--fail-if-slower", "5"});
        QCOMPARE(ended.status, 4);
        QVERIFY2(ended.err.contains("mmap is slower in slow than in old by more than 5 %"),
                 qPrintable(ended.err));
        QCOMPARE(ended.err.count('\n'), 1);
        QCOMPARE(cli({"compare", path("old"), path("slow"), "--fail-if-slower", "50"}).status, 0);
        QCOMPARE(cli({"compare", path("old"), path("slow")}).status, 0);
        QCOMPARE(cli({"compare", path("slow"), path("old"), "--fail-if-slower", "5"}).status, 0);
    }

    void formats() {
        const QStringList german{"LC_ALL=de_DE.UTF-8"};
        const Ended json = cli({"compare", path("old"), path("slow"), "--format", "json"}, german);
        const auto root = QJsonDocument::fromJson(json.out.toUtf8()).object();
        QCOMPARE(root["arms"].toArray().size(), 3);
        QCOMPARE(root["arms"][1]["sides"][1]["verdict"].toString(), QStringLiteral("slower"));
        QVERIFY(root["arms"][1]["sides"][1]["ratio"].toDouble() < 0.75);
        const Ended csv = cli({"compare", path("old"), path("slow"), "--format", "csv"}, german);
        QVERIFY(csv.out.startsWith("arm_id,side,runs,"));
        QVERIFY(csv.out.contains("slower,\r\n"));
        const Ended markdown = cli({"compare", path("old"), path("slow"), "--format", "markdown"});
        QVERIFY(markdown.out.contains("| mmap |"));
        const QString out = folder_.filePath("out.csv");
        QCOMPARE(cli({"compare", path("old"), path("slow"), "--format", "csv", "--out", out}).status, 0);
        QFile written(out);
        QVERIFY(written.open(QIODevice::ReadOnly));
        QCOMPARE(QString::fromUtf8(written.readAll()), csv.out);
    }

    void sidesOfSeveral() {
        const Ended ended =
            cli({"compare", path("old"), path("same"), path("slow"), "--names", "before,before,after"});
        QVERIFY2(ended.status == 0, qPrintable(ended.err));
        QVERIFY(ended.out.contains("Slower in after than in before: mmap"));
    }

    void refusals_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("said");
        QTest::newRow("one") << QStringList{path("old")} << 2 << "two studies or more";
        QTest::newRow("other file") << QStringList{path("old"), path("larger")} << 2
                                    << "larger can't be compared with old: another file: 2 MiB, not 1 MiB";
        QTest::newRow("none") << QStringList{path("old"), "/nowhere/x.json"} << 2 << "/nowhere/x.json";
        QTest::newRow("names") << QStringList{path("old"), path("same"), "--names", "a"} << 2
                               << "1 names for 2 studies";
        QTest::newRow("one side") << QStringList{path("old"), path("same"), "--names", "a,a"} << 2
                                  << "nothing to compare with";
        QTest::newRow("percent") << QStringList{path("old"), path("same"), "--fail-if-slower", "-1"} << 2
                                 << "--fail-if-slower";
        QTest::newRow("overwrites") << QStringList{path("old"), path("same"), "--out", path("old")} << 2
                                    << "would be overwritten";
        QTest::newRow("folder gone") << QStringList{path("old"), path("same"), "--out", "/nowhere/x"} << 2
                                     << "/nowhere";
    }
    void refusals() {
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        QFETCH(QString, said);
        const Ended ended = cli(QStringList{"compare"} + arguments);
        QCOMPARE(ended.status, status);
        QVERIFY2(ended.err.contains(said), qPrintable(ended.err));
        QCOMPARE(ended.err.count('\n'), 1);
    }

    void inTheWindow() {
        CompareWindow window(nullptr, {path("old"), path("slow")});
        QSignalSpy ready(&window, &CompareWindow::ready);
        window.show();
        QTRY_COMPARE(ready.count(), 1);
        QCOMPARE(window.problem(), QString());
        QVERIFY(window.panel()->words().startsWith("Slower in slow than in old: mmap"));
        CompareWindow broken(nullptr, {path("old"), "/nowhere/x.json"});
        QSignalSpy told(&broken, &CompareWindow::ready);
        QTRY_COMPARE(told.count(), 1);
        QVERIFY(broken.problem().contains("/nowhere/x.json"));
    }

  private:
    [[nodiscard]] QString path(const char* name) const { return folder_.filePath(QString(name) + ".json"); }

    void write(const char* name, double mmapMs, std::uint64_t seed,
               const std::function<void(Study&)>& change = {}) {
        SplitMix64 random(seed);
        Study study = measuredStudy({"read", "mmap", "pread"}, 15, [&](std::uint32_t arm, unsigned) {
            return noisyWall(random, arm == 1 ? mmapMs : 10);
        });
        study.complete = true;
        if (change) {
            change(study);
        }
        summarize(study);
        QVERIFY(saveStudy(study, path(name).toStdString()).has_value());
    }

    QTemporaryDir folder_;
};

QTEST_MAIN(TestCliCompare)
#include "tst_cli_compare.moc"
