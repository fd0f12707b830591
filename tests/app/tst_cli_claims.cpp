// mmapscope-cli claims: end to end on two cheap claims, refusals, and what a cancelled one leaves.
#include <signal.h>

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include "report/study_file.h"
#include "tests/app/cli_support.h"

using namespace mmapscope::testing;

namespace {

/// On a disk, as far as there is one: the page cache of tmpfs can't be prepared.
QString diskTemplate() {
    return QStringLiteral("/var/tmp/tst_cli_claims-XXXXXX");
}

bool isEmpty(const QString& folder) {
    return QDir(folder).isEmpty(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden);
}

}  // namespace

class TestCliClaims : public QObject {
    Q_OBJECT

  private slots:
    void twoClaims() {
        const QTemporaryDir samples(diskTemplate()), out;
        const Ended ended = cli({"claims", "--quick", "--only", "P4,P6", "--folder", samples.path(), "--json",
                                 "-", "--markdown", out.filePath("r.md"), "--csv", out.filePath("r.csv"),
                                 "--keep-studies", out.path(), "--quiet"});
        QVERIFY2(ended.status == 0, qPrintable(ended.err));
        const QJsonObject json = QJsonDocument::fromJson(ended.out.toUtf8()).object();
        QCOMPARE(json["format"].toString(), QStringLiteral("mmapscope-claims"));
        QCOMPARE(json["complete"].toBool(), true);
        const QJsonArray claims = json["claims"].toArray();
        QCOMPARE(claims.size(), 2);
        QCOMPARE(claims[0].toObject()["id"].toString(), QStringLiteral("P4"));
        const QJsonObject finding = claims[0].toObject()["findings"].toArray()[0].toObject();
        QVERIFY2(finding.contains("here"), qPrintable(finding["reason"].toString()));
        QVERIFY(finding["here"].toObject()["value"].toDouble() >= 4096);
        QCOMPARE(claims[1].toObject()["verdict"].toString(), QStringLiteral("not testable here"));
        QVERIFY(!claims[1].toObject()["reason"].toString().isEmpty());

        QFile markdown(out.filePath("r.md"));
        QVERIFY(markdown.open(QIODevice::ReadOnly));
        const QByteArray text = markdown.readAll();
        QVERIFY(text.contains("## P4") && text.contains("Linux "));
        QVERIFY(QFile::exists(out.filePath("r.csv")));
        const auto study = mmapscope::loadStudy(out.filePath("claims-small-folios.json").toStdString());
        QVERIFY(study && study->complete);
        QVERIFY2(isEmpty(samples.path()), "samples were left");
    }

    void cancelledLeavesNothing() {
        const QTemporaryDir samples(diskTemplate());
        QProcess process;
        process.start(QStringLiteral(MMAPSCOPE_CLI),
                      {"claims", "--only", "P4", "--folder", samples.path(), "--json", "-", "--quiet"});
        QVERIFY(process.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(!isEmpty(samples.path()), 20'000);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(20'000));
        QCOMPARE(process.exitCode(), 130);
        const QJsonObject json = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
        QCOMPARE(json["complete"].toBool(true), false);
        QVERIFY2(isEmpty(samples.path()), "samples were left");
    }

    /// What a killed one left goes when the next one starts; what others have there stays.
    void leftOversGo() {
        const QTemporaryDir samples(diskTemplate());
        QDir folder(samples.path());
        QProcess gone;
        gone.start(QStringLiteral("true"), QStringList());
        QVERIFY(gone.waitForStarted());
        const qint64 dead = gone.processId();
        QVERIFY(gone.waitForFinished());
        const QString left = QStringLiteral("claims-%1-AbCdEf").arg(dead);
        QVERIFY(folder.mkpath(left + "/samples") && folder.mkdir("claims-own") && folder.mkdir("other"));
        QCOMPARE(cli({"claims", "--only", "P6", "--folder", samples.path(), "--quiet"}).status, 0);
        QVERIFY(!folder.exists(left));
        QVERIFY(folder.exists("claims-own") && folder.exists("other"));
    }

    void refusals_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("words");
        QTest::newRow("unknown claim") << QStringList{"--only", "Z99"} << "there is no claim Z99";
        QTest::newRow("no such folder")
            << QStringList{"--only", "P6", "--folder", "/nonexistent"} << "--folder";
        QTest::newRow("two to one") << QStringList{"--only", "P6", "--json", "-", "--csv", "-"}
                                    << "both write to standard output";
        QTest::newRow("no folder for studies")
            << QStringList{"--only", "P6", "--keep-studies", "/nonexistent"} << "is not a folder";
    }
    void refusals() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, words);
        const Ended ended = cli(QStringList{"claims"} + arguments);
        QCOMPARE(ended.status, 2);
        QVERIFY2(ended.err.contains(words), qPrintable(ended.err));
        QCOMPARE(ended.err.count('\n'), 1);
    }
};

QTEST_GUILESS_MAIN(TestCliClaims)
#include "tst_cli_claims.moc"
