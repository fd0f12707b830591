// mmapscope-cli advise: text, JSON, a measurement, refusals.
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/app/cli_support.h"

using namespace mmapscope::testing;

class TestCliAdvise : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QVERIFY(write("file", 8 << 20));
        QVERIFY(write("empty", 0));
    }

    void saysWhatAndWhy() {
        const Ended ended = cli({"advise", path("file")});
        QVERIFY2(ended.status == 0, qPrintable(ended.err));
        QVERIFY(ended.out.startsWith("For " + path("file") + " under scan: use "));
        for (const char* part : {"  * ", "What would change it: ", "Looked at:", "size: 8 MiB",
                                 "storage: ", "page cache: ", "memory: ", "With --measure it compares "}) {
            QVERIFY2(ended.out.contains(part), part);
        }
        QVERIFY(!ended.out.contains('{'));  // no text is left to fill in
    }

    void asJson() {
        const auto root =
            QJsonDocument::fromJson(cli({"advise", path("file"), "--json"}).out.toUtf8()).object();
        QVERIFY(!root["rule"].toString().isEmpty());
        QCOMPARE(root["arms"][0], root["advised"]);
        QVERIFY(!root["reasons"][0]["basis"].toString().isEmpty());
        QVERIFY(root["measured"].isNull());
    }

    void measured() {
        const Ended ended = cli({"advise", path("file"), "--measure", "--json", "--quiet"});
        QVERIFY2(ended.status == 0, qPrintable(ended.err));
        const auto root = QJsonDocument::fromJson(ended.out.toUtf8()).object();
        QCOMPARE(root["measured"]["arms"].toArray().size(), root["arms"].toArray().size());
        QVERIFY(QStringList({"holds", "contradicted", "tied", "unranked"})
                    .contains(root["measured"]["says"].toString()));
        QVERIFY(root["measured"]["sentence"].toString().startsWith("Measured"));
    }

    /// More than a short study reads, in one frame: it can't stop in the middle.
    void oneLongFrameIsMeasuredWhole() {
        const QString frame = path("frame.zst");
        QCOMPARE(cli({"corpus", "zstd", "--size", "600MiB", "--out", frame}).status, 0);
        QVERIFY(QFileInfo(frame).size() > qint64(256) << 20);
        const Ended ended = cli({"advise", frame, "--measure", "--json", "--quiet"});
        QVERIFY2(ended.status == 0, qPrintable(ended.err));
        QVERIFY(!QJsonDocument::fromJson(ended.out.toUtf8())["measured"]["sentence"].toString().contains(
            "the first"));
    }

    void runsThatFailAreToldByTheStatus() {
        const QString broken = path("broken.zst");
        QCOMPARE(cli({"corpus", "zstd", "--size", "8MiB", "--out", broken}).status, 0);
        QFile file(broken);
        QVERIFY(file.open(QIODevice::ReadWrite));
        QVERIFY(file.seek(file.size() / 2));
        file.write(QByteArray(64 << 10, '\xff'));
        file.close();
        const Ended ended = cli({"advise", broken, "--measure", "--quiet"});
        QCOMPARE(ended.status, 1);
        QVERIFY2(ended.err.contains("failed"), qPrintable(ended.err));
        QVERIFY(ended.out.contains("can't be ranked"));
    }

    void refusals_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("said");
        QTest::newRow("missing") << QStringList{"/nowhere"} << "no such file";
        QTest::newRow("workload") << QStringList{path("file"), "--workload", "dance"}
                                  << "no workload \"dance\"";
        QTest::newRow("cap") << QStringList{path("file"), "--memory-cap", "much"} << "--memory-cap";
        QTest::newRow("no memory") << QStringList{path("file"), "--memory-cap", "0"} << "--memory-cap";
        QTest::newRow("nothing to measure") << QStringList{path("empty"), "--measure"} << "is empty";
    }
    void refusals() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, said);
        const Ended ended = cli(QStringList{"advise"} + arguments);
        QCOMPARE(ended.status, 2);
        QVERIFY2(ended.err.contains(said), qPrintable(ended.err));
        QCOMPARE(ended.err.count('\n'), 1);
    }

  private:
    [[nodiscard]] QString path(const char* name) const { return folder_.filePath(name); }
    bool write(const char* name, int bytes) {
        QFile file(path(name));
        return file.open(QIODevice::WriteOnly) && file.write(QByteArray(bytes, 'a')) == bytes;
    }
    QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TestCliAdvise)
#include "tst_cli_advise.moc"
