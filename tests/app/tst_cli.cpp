// mmapscope-cli as a person and a script see it: exit statuses, one-line errors, clean output.
#include <signal.h>
#include <sys/stat.h>

#include <QDir>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

namespace {

struct Result {
    int status = -1;
    QString out, err;
};

Result cli(const QStringList& arguments) {
    QProcess process;
    process.start(QStringLiteral(MMAPSCOPE_CLI), arguments);
    if (!process.waitForFinished(120'000)) {
        process.kill();
        process.waitForFinished();
        return {};
    }
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

/// Processes whose name is mmapscope-worke(r) and whose command line holds `text`… workers take no arguments,
/// so they are told by their parent.
QList<qint64> workersOf(qint64 parent) {
    QList<qint64> found;
    for (const auto& entry : QDir("/proc").entryList(QDir::Dirs)) {
        bool number = false;
        const qint64 pid = entry.toLongLong(&number);
        QFile status("/proc/" + entry + "/status");
        if (!number || !status.open(QIODevice::ReadOnly)) {
            continue;
        }
        const QByteArray text = status.readAll();
        if (text.startsWith("Name:\tmmapscope-worke") &&
            text.contains("PPid:\t" + QByteArray::number(parent) + "\n")) {
            found.append(pid);
        }
    }
    return found;
}

bool alive(qint64 pid) {
    QFile status(QStringLiteral("/proc/%1/status").arg(pid));
    return status.open(QIODevice::ReadOnly) && !status.readAll().contains("State:\tZ");
}

}  // namespace

class TestCli : public QObject {
    Q_OBJECT
    QTemporaryDir dir_;
    QString path(const char* name) const { return dir_.filePath(QString::fromUtf8(name)); }

  private slots:
    void initTestCase() {
        QVERIFY(dir_.isValid());
        QCOMPARE(cli({"corpus", "bytes", "--size", "8MiB", "--out", path("bytes.bin"), "--quiet"}).status, 0);
        QCOMPARE(cli({"corpus", "zstd", "--size", "8MiB", "--out", path("sample.zst"), "--quiet"}).status, 0);
        // Hashing it takes long enough for a run to be caught in the middle.
        QCOMPARE(cli({"corpus", "bytes", "--size", "128MiB", "--out", path("long.bin"), "--quiet"}).status,
                 0);
        QCOMPARE(cli({"corpus", "ticks", "--size", "1MiB", "--out", path("ticks.csv"), "--quiet"}).status, 0);
    }

    void refusals_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("says");
        const QString bytes = path("bytes.bin");
        QTest::newRow("nothing") << QStringList{} << 2 << "a command is needed";
        QTest::newRow("unknown command") << QStringList{"fly"} << 2 << "";
        QTest::newRow("unknown option") << QStringList{"run", bytes, "--speed", "9"} << 2 << "--speed";
        QTest::newRow("missing file") << QStringList{"run", path("none")} << 2 << "none";
        QVERIFY(QDir().mkpath(path("empty folder")));
        QTest::newRow("empty folder") << QStringList{"run", path("empty folder")} << 2 << "a folder without";
        QTest::newRow("proc file") << QStringList{"run", "/proc/self/status"} << 2 << "/proc/self/status";
        QTest::newRow("device") << QStringList{"run", "/dev/zero"} << 2 << "/dev/zero";
        QTest::newRow("source") << QStringList{"run", bytes, "--source", "mmap-sequental"} << 2
                                << "did you mean \"mmap-sequential\"";
        QTest::newRow("workload") << QStringList{"run", bytes, "--workload", "zst"} << 2
                                  << "did you mean \"zstd\"";
        QTest::newRow("parameter") << QStringList{"run", bytes, "--source", "read:buffer=64K"} << 2
                                   << "is not a size";
        QTest::newRow("cache") << QStringList{"run", bytes, "--cache", "hot"} << 2 << "--cache";
        QTest::newRow("limit") << QStringList{"run", bytes, "--limit", "0"} << 2 << "--limit";
        QTest::newRow("pin") << QStringList{"run", bytes, "--pin", "9999"} << 2 << "9999";
        QTest::newRow("baseline") << QStringList{"run", bytes, "--source", "read", "--baseline", "mmap"} << 2
                                  << "--source mmap";
        QTest::newRow("not zstd") << QStringList{"run", bytes, "--workload", "zstd", "--source", "read"} << 2
                                  << "zstd";
        QTest::newRow("no folder for the study")
            << QStringList{"run", bytes, "--json", path("no/where.json")} << 2 << "no/where.json";
        for (const char* option : {"--json", "--csv", "--summary-csv", "--markdown"}) {
            QTest::addRow("measured file as %s", option)
                << QStringList{"run", bytes, option, bytes} << 2 << "is the file that is measured";
        }
        QTest::newRow("two outputs in one file")
            << QStringList{"run", bytes, "--json", path("a"), "--csv", path("./a")} << 2
            << "--json and --csv both write to";
        QTest::newRow("two outputs to standard output")
            << QStringList{"run", bytes, "--csv", "-", "--markdown", "-"} << 2 << "standard output";
        QTest::newRow("an output over a dictionary")
            << QStringList{"run",   bytes,        "--workload", "zstd:dictionary=" + path("words"),
                           "--csv", path("words")}
            << 2 << "is the file that dictionary= reads and would be overwritten";
        QTest::newRow("a scanner for nothing")
            << QStringList{"run", path("sample.zst"), "--workload", "zstd:scanner=portable"} << 2
            << "add then=ticks";
        QTest::newRow("piece that is no power of two")
            << QStringList{"run", bytes, "--workload", "pieces:piece=100KiB"} << 2
            << "must be a power of two; the nearest are 64 KiB and 128 KiB";
        QTest::newRow("an output over a torrent")
            << QStringList{"run", bytes, "--workload", "pieces:torrent=" + path("t"), "--json", path("t")}
            << 2 << "--json and torrent= both write to";
        QTest::newRow("a torrent of a part")
            << QStringList{"run", bytes, "--workload", "pieces:torrent=" + path("t"), "--limit", "16KiB"} << 2
            << "a torrent of a part";
        QTest::newRow("a mistyped parameter behind a file's name")
            << QStringList{"run", bytes, "--workload", "pieces:torrent=t,pece=64KiB"} << 2
            << "did you mean \"piece\"";
        for (const char* name : {".", "..", "a/b", "/"}) {
            QTest::addRow("torrent's name %s", name)
                << QStringList{"run", bytes, "--workload", QString("pieces:name=%1").arg(name)} << 2
                << "one file name";
        }
        QTest::newRow("nothing like it") << QStringList{"run", bytes, "--source", "xyzzy"} << 2
                                         << "no source \"xyzzy\"; `mmapscope-cli arms`";
        QTest::newRow("more threads than a run takes")
            << QStringList{"run", bytes, "--threads", "129"} << 2 << "--threads";
        QTest::newRow("negative seed") << QStringList{"run", bytes, "--seed", "-1"} << 2 << "whole number";
        QTest::newRow("seed too large")
            << QStringList{"run", bytes, "--seed", "99999999999999999999"} << 2 << "whole number";
        QTest::newRow("negative frames")
            << QStringList{"corpus", "zstd", "--size", "1MiB", "--frames", "-1", "--out", path("x")} << 2
            << "whole number";
        QTest::newRow("study is missing") << QStringList{"show", path("none.json")} << 2 << "none.json";
        QTest::newRow("study is no study") << QStringList{"show", bytes} << 2 << "bytes.bin";
        QTest::newRow("corpus size") << QStringList{"corpus", "bytes", "--size", "lots", "--out", path("x")}
                                     << 2 << "lots";
        QTest::newRow("corpus schema")
            << QStringList{"corpus", "ticks", "--schema", "mars", "--size", "1MiB", "--out", path("x")} << 2
            << "mars";
    }
    void refusals() {
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        QFETCH(QString, says);
        const Result r = cli(arguments);
        QCOMPARE(r.status, status);
        QVERIFY2(r.out.isEmpty(), qPrintable(r.out));
        QVERIFY2(r.err.contains(says), qPrintable(r.err));
        QVERIFY2(r.err.count('\n') == 1 && r.err.startsWith("mmapscope-cli: "), qPrintable(r.err));
        QVERIFY(!QFile::exists(path("x")));
    }

    void aStudyFromStartToTable() {
        const QString json = path("study.json");
        const Result r = cli({"run", path("sample.zst"), "--source", "read", "--source", "mmap", "--rounds",
                              "5", "--json", json, "--csv", path("runs.csv"), "--summary-csv",
                              path("summary.csv"), "--markdown", path("study.md")});
        QVERIFY2(r.status == 0, qPrintable(r.err));
        QVERIFY2(r.out.contains("read") && r.out.contains("mmap") && r.out.contains("baseline"),
                 qPrintable(r.out));
        QFile file(json);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject study = QJsonDocument::fromJson(file.readAll()).object();
        QCOMPARE(study["format"].toString(), QStringLiteral("mmapscope-study"));
        QCOMPARE(study["version"].toInt(), 1);
        QCOMPARE(study["arms"].toArray().size(), 2);
        QCOMPARE(study["runs"].toArray().size(), 2 * (1 + 1 + 5));
        QCOMPARE(study["summary"].toArray().size(), 2);
        for (const auto& arm : study["summary"].toArray()) {
            QVERIFY(arm.toObject()["outcomes_agree"].toBool());
            QCOMPARE(arm.toObject()["runs"].toInt(), 5);
        }
        QFile runs(path("runs.csv"));
        QVERIFY(runs.open(QIODevice::ReadOnly));
        QCOMPARE(runs.readAll().count('\n'), 1 + 2 * (1 + 1 + 5));
        for (const char* format : {"table", "markdown", "csv", "summary-csv", "json"}) {
            const Result shown = cli({"show", json, "--format", format});
            QVERIFY2(shown.status == 0, qPrintable(shown.err));
            QVERIFY(shown.out.contains("read"));
            QVERIFY(shown.err.isEmpty());
        }
    }

    void aCompressedStudyIsTheSameStudy() {
        const QString packed = path("study.mmapscope");
        const Result r = cli({"run", path("bytes.bin"), "--workload", "scan", "--source", "read", "--source",
                              "mmap", "--rounds", "5", "--no-why", "--json", packed, "--quiet"});
        QVERIFY2(r.status == 0, qPrintable(r.err));
        QFile file(packed);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().startsWith("\x28\xb5\x2f\xfd"));
        const Result shown = cli({"show", packed, "--format", "json"});
        QCOMPARE(shown.status, 0);
        QFile plain(path("plain.json"));
        QVERIFY(plain.open(QIODevice::WriteOnly));
        plain.write(shown.out.toUtf8());
        plain.close();
        QCOMPARE(cli({"show", plain.fileName(), "--format", "json"}).out, shown.out);
        QCOMPARE(cli({"show", plain.fileName(), "--format", "markdown"}).out,
                 cli({"show", packed, "--format", "markdown"}).out);
        const QString again = path("again.mmapscope");
        QCOMPARE(cli({"show", plain.fileName(), "--format", "json", "--out", again}).status, 0);
        QFile second(again);
        QVERIFY(second.open(QIODevice::ReadOnly));
        QVERIFY(file.seek(0));
        QVERIFY(second.readAll() == file.readAll());
        // Cut short it is refused in one line, as bad input is.
        QVERIFY(QFile::resize(packed, file.size() / 2));
        const Result cut = cli({"show", packed});
        QCOMPARE(cut.status, 2);
        QVERIFY2(cut.err.contains("its zstd frame ends in the middle") && cut.err.count('\n') == 1,
                 qPrintable(cut.err));
    }

    void standardOutputIsTheStudyAlone() {
        const Result r = cli({"run", path("bytes.bin"), "--workload", "scan", "--source", "read", "--source",
                              "mmap", "--rounds", "5", "--json", "-", "--in-process"});
        QVERIFY2(r.status == 0, qPrintable(r.err));
        QVERIFY(!QJsonDocument::fromJson(r.out.toUtf8()).object().isEmpty());
    }

    void whatIsNotAvailableIsSaidAndTheRestGoesOn() {
        QCOMPARE(cli({"corpus", "bytes", "--size", "0", "--out", path("empty.bin"), "--quiet"}).status, 0);
        const Result r = cli({"run", path("empty.bin"), "--workload", "scan", "--source", "read", "--source",
                              "mmap", "--rounds", "5"});
        QVERIFY2(r.status == 3, qPrintable(r.out + r.err));
        QVERIFY2(r.out.contains("empty"), qPrintable(r.out));
        // The reason reaches who looks at standard error alone.
        QVERIFY2(r.err.contains("runs are not available here; the first, of mmap: the file is empty"),
                 qPrintable(r.err));
    }

    void aTruncatedFrameFails() {
        QFile whole(path("sample.zst"));
        QVERIFY(whole.open(QIODevice::ReadOnly));
        QFile cut(path("cut.zst"));
        QVERIFY(cut.open(QIODevice::WriteOnly));
        cut.write(whole.read(whole.size() / 2));
        cut.close();
        const Result r = cli({"run", path("cut.zst"), "--workload", "zstd", "--source", "read", "--source",
                              "mmap", "--rounds", "5"});
        QVERIFY2(r.status == 1, qPrintable(r.out + r.err));
        QVERIFY2(r.out.contains("truncated") || r.out.contains("ends"), qPrintable(r.out));
        QVERIFY2(r.err.contains("runs failed; the first, of read: truncated"), qPrintable(r.err));
        QVERIFY(r.out.contains("unranked"));
    }

    void armsAndDoctorAsJson() {
        const Result arms = cli({"arms", path("sample.zst"), "--json"});
        QCOMPARE(arms.status, 0);
        const auto root = QJsonDocument::fromJson(arms.out.toUtf8()).object();
        QVERIFY(root["sources"].toArray().size() >= 10);
        QVERIFY(root["workloads"].toArray().size() >= 5);
        for (const auto& list : {root["sources"].toArray(), root["workloads"].toArray()}) {
            for (const auto& one : list) {
                QVERIFY(!one.toObject()["id"].toString().isEmpty());
                QVERIFY(one.toObject()["available"].toBool() ||
                        !one.toObject()["reason"].toString().isEmpty());
            }
        }
        // What a run without --source would take, and why.
        QCOMPARE(root["workload"].toString(), QStringLiteral("zstd"));
        QCOMPARE(root["preselected"].toArray().at(0).toString(), QStringLiteral("read"));
        QVERIFY(root["preselected"].toArray().size() >= 3);
        QVERIFY(root["threads"].toInt() >= 1);
        QVERIFY(root["threads_offered"].toArray().contains(root["threads"]));
        QVERIFY(root["reason"].toString().contains(root["storage_class"].toString() + " storage"));
        QVERIFY(!root["basis"].toString().isEmpty());
        // What is cached of the file, where, in what pieces, and what it lies on.
        const QJsonObject file = root["file"].toObject();
        const QJsonObject residency = file["residency"].toObject();
        if (residency.contains("share")) {
            QCOMPARE(residency["share"].toDouble(), file["resident_share"].toDouble());
            QCOMPARE(residency["cells"].toArray().size(), 64);
            QCOMPARE(residency["sampled"].toBool(true), false);
        } else {
            QVERIFY(!residency["reason"].toString().isEmpty());
        }
        double folios = file["folios"].toArray().isEmpty() ? 1 : 0;
        for (const auto& size : file["folios"].toArray()) {
            folios += size.toObject()["share"].toDouble();
        }
        QVERIFY(std::abs(folios - 1) < 1e-6);
        QVERIFY(!file["folios_basis"].toString().isEmpty());
        QCOMPARE(file["storage_chain"].isNull(), file["storage"].toArray().isEmpty());
        QVERIFY(cli({"arms", path("sample.zst")}).out.contains("Preselected for this file"));
        const Result doctor = cli({"doctor", "--json"});
        QCOMPARE(doctor.status, 0);
        QVERIFY(!QJsonDocument::fromJson(doctor.out.toUtf8()).object()["capabilities"].toArray().isEmpty());
    }

    void withoutASourceTheStorageDecides() {
        const Result told = cli({"arms", path("bytes.bin"), "--json"});
        const auto root = QJsonDocument::fromJson(told.out.toUtf8()).object();
        const QJsonArray expected = root["preselected"].toArray();
        const QString json = path("chosen.json");
        const Result r = cli({"run", path("bytes.bin"), "--rounds", "1", "--json", json});
        QCOMPARE(r.status, 0);
        // What was chosen, and what speaks for workload and arms, once and in one line.
        QVERIFY2(r.err.startsWith("mmapscope-cli: comparing read, ") && r.err.contains(" under scan: ") &&
                     r.err.contains("is neither zstd nor a tick CSV") && r.err.contains(" storage (") &&
                     r.err.section('\n', 0, 0).endsWith("Others: --workload, --source, --threads"),
                 qPrintable(r.err));
        QFile file(json);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonArray arms = QJsonDocument::fromJson(file.readAll()).object()["arms"].toArray();
        QCOMPARE(arms.size(), expected.size());
        for (int i = 0; i < arms.size(); ++i) {
            QCOMPARE(arms[i].toObject()["source"].toString(), expected[i].toString().section(':', 0, 0));
            QCOMPARE(arms[i].toObject()["threads"].toInt(), root["threads"].toInt());
        }
        const Result quiet = cli({"run", path("bytes.bin"), "--rounds", "1", "--quiet"});
        QVERIFY2(quiet.status == 0 && quiet.err.isEmpty(), qPrintable(quiet.err));
        QVERIFY2(quiet.out.contains("workload scan") && quiet.out.contains("arms read, "),
                 qPrintable(quiet.out));
        const Result named = cli({"run", path("bytes.bin"), "--rounds", "1", "--source", "read"});
        QVERIFY2(!named.err.contains("comparing") && named.err.contains("the workload is scan: "),
                 qPrintable(named.err));
        const Result all =
            cli({"run", path("bytes.bin"), "--rounds", "1", "--source", "read", "--workload", "scan"});
        QVERIFY2(all.err.isEmpty(), qPrintable(all.err));
    }

    void tickCsvWithinZstdIsHintedAt() {
        const QString packed = path("ticks.csv.zst");
        const QString hint = "this file decodes to tick CSV (generic): --workload zstd:then=ticks";
        if (QProcess::execute("zstd", {"-q", "-f", path("ticks.csv"), "-o", packed}) != 0) {
            QSKIP("the zstd program is not installed");
        }
        QVERIFY(cli({"arms", packed}).out.contains(hint));
        const auto root = QJsonDocument::fromJson(cli({"arms", packed, "--json"}).out.toUtf8()).object();
        QVERIFY(root["workload_hint"].toString().contains("then=ticks"));
        const QStringList run{"run", packed, "--source", "read", "--rounds", "1", "--no-why", "--quiet"};
        QVERIFY(cli(run).out.contains("Note: " + hint));
        // Not to who named a workload, and not of what decodes to something else.
        QVERIFY(!cli(run + QStringList{"--workload", "zstd"}).out.contains(hint));
        QVERIFY(!cli({"arms", path("sample.zst")}).out.contains("then=ticks parses"));
    }

    void ctrlCKeepsWhatIsDone() {
        const QString json = path("stopped.json");
        QProcess process;
        process.start(QStringLiteral(MMAPSCOPE_CLI),
                      {"run", path("bytes.bin"), "--workload", "scan", "--source", "read", "--source", "mmap",
                       "--rounds", "5000", "--json", json});
        QVERIFY(process.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(json), 20'000);
        QElapsedTimer clock;
        clock.start();
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(20'000));
        qInfo("stopped after %lld ms", static_cast<long long>(clock.elapsed()));
        QCOMPARE(process.exitCode(), 130);
        QCOMPARE(cli({"show", json}).status, 0);
    }

    void aStoppedWorkerIsToldOfInQuietToo() {
        QProcess process;
        process.start(QStringLiteral(MMAPSCOPE_CLI),
                      {"run", path("long.bin"), "--workload", "pieces:engine=evp", "--source", "read",
                       "--rounds", "5000", "--quiet"});
        QVERIFY(process.waitForStarted());
        // A worker caught at its very end would be gone, so the next one is tried.
        qint64 stopped = 0;
        QElapsedTimer patience;
        patience.start();
        QByteArray told;
        while (told.isEmpty() && patience.elapsed() < 40'000) {
            for (const qint64 worker : workersOf(process.processId())) {
                stopped = worker;
                ::kill(static_cast<pid_t>(worker), SIGSTOP);
            }
            process.waitForReadyRead(10);
            told += process.readAllStandardError();
        }
        QVERIFY2(told.contains("a signal stopped it; `kill -CONT") && told.count('\n') == 1,
                 told.constData());
        ::kill(static_cast<pid_t>(stopped), SIGCONT);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(20'000));
        QCOMPARE(process.exitCode(), 130);
        const QString rest = QString::fromUtf8(process.readAllStandardError());
        QVERIFY2(!rest.contains("kill -CONT"), qPrintable(rest));
    }

    void whatIsLeftOutOfAFolderIsTold() {
        QVERIFY(QDir().mkpath(path("mixed")));
        QVERIFY(QFile::copy(path("ticks.csv"), path("mixed/ticks.csv")));
        QCOMPARE(::mkfifo(path("mixed/pipe").toUtf8().constData(), 0600), 0);
        const Result r = cli({"run", path("mixed"), "--workload", "scan", "--source", "read", "--rounds", "2",
                              "--no-why", "--quiet"});
        QVERIFY2(r.status == 0 && r.out.contains("left out of the folder: one entry"), qPrintable(r.out));
    }

    void aCommaCanBeAPartOfAName() {
        const QString torrent = path("a,piece=1.torrent");
        const QString written = QString(torrent).replace(',', "\\,");
        const Result r = cli({"run", path("bytes.bin"), "--workload", "pieces:torrent=" + written, "--source",
                              "read", "--rounds", "1", "--no-why"});
        QVERIFY2(r.status == 0 && QFile::exists(torrent), qPrintable(r.err));
    }

    void killedItLeavesNoWorkerAndAGoodStudy() {
        const QString json = path("killed.json");
        QProcess process;
        process.start(QStringLiteral(MMAPSCOPE_CLI),
                      {"run", path("long.bin"), "--workload", "pieces:engine=evp", "--source", "read",
                       "--rounds", "5000", "--json", json});
        QVERIFY(process.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(json), 20'000);
        QList<qint64> workers;
        QElapsedTimer patience;
        patience.start();
        while (workers.isEmpty() && patience.elapsed() < 20'000) {
            workers = workersOf(process.processId());
        }
        QVERIFY(!workers.isEmpty());
        process.kill();
        QVERIFY(process.waitForFinished(20'000));
        for (const qint64 worker : workers) {
            QTRY_VERIFY_WITH_TIMEOUT(!alive(worker), 5'000);
        }
        QCOMPARE(cli({"show", json}).status, 0);
        const QStringList left = QDir(dir_.path()).entryList({"*killed*"}, QDir::Files | QDir::Hidden);
        QVERIFY2(left.size() <= 2, qPrintable(left.join(' ')));
    }
};

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"
