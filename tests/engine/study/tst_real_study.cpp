// Whole studies over real files: in this process, and in workers.
#include <QtTest>
#include <csignal>

#include "source/source.h"
#include "study/study_runner.h"
#include "workload/workload.h"

using namespace mmapscope;

class TestRealStudy : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void comparesArms_data();
    void comparesArms();
    void emptyFile();
    void everyRunIsInTheStateAskedFor_data();
    void everyRunIsInTheStateAskedFor();
    void killedWorkerCostsOneRun();
    void truncatedFileEndsTheStudy();
    void whatIsGoneEndsTheStudy();
    void stopsSoon();

  private:
    StudyRequest request(Isolation isolation, const std::vector<std::string>& sources, const QString& file) {
        StudyRequest r;
        r.file = file.toStdString();
        r.workload = "scan";
        r.isolation = isolation;
        r.workerProgram = MMAPSCOPE_WORKER;
        r.rounds = 5;
        for (const auto& source : sources) {
            r.arms.push_back({source, *parseParameters(findSource(source)->parameters, ""), 1});
        }
        return r;
    }
    static Study study(const StudyRequest& request, const StudyEvents& events = {},
                       std::stop_token stop = {}) {
        auto planned = planStudy(request);
        if (!planned) {
            qFatal("%s", planned.error().message.c_str());
        }
        return runStudy(std::move(*planned), request, events, std::move(stop));
    }
    QString write(const QString& name, qint64 size) {
        QFile file(folder_.filePath(name));
        if (!file.open(QIODevice::WriteOnly)) {
            qFatal("no file");
        }
        QByteArray block(1 << 20, 0);
        for (qint64 at = 0; at < size; at += block.size()) {
            for (int i = 0; i < block.size(); i += 512) {
                block[i] = char(at + i);
            }
            file.write(block.constData(), std::min<qint64>(block.size(), size - at));
        }
        return file.fileName();
    }
    QTemporaryDir folder_;
    QString file_;
};

void TestRealStudy::initTestCase() {
    QVERIFY2(QFile::exists(MMAPSCOPE_WORKER), MMAPSCOPE_WORKER);
    file_ = write("file", 8 << 20);
}

void TestRealStudy::comparesArms_data() {
    QTest::addColumn<int>("isolation");
    QTest::newRow("in process") << int(Isolation::inProcess);
    QTest::newRow("worker") << int(Isolation::worker);
}

void TestRealStudy::comparesArms() {
    QFETCH(int, isolation);
    const StudyRequest asked = request(Isolation(isolation), {"read", "mmap", "memory"}, file_);
    StudyEvents events;
    std::size_t ended = 0;
    std::size_t samples = 0;
    const Qt::HANDLE thread = QThread::currentThreadId();
    events.runEnded = [&](const Study& s) {
        QCOMPARE(s.runs.size(), ++ended);
        QCOMPARE(QThread::currentThreadId(), thread);
    };
    events.samples = [&](std::uint32_t arm, std::span<const Sample> batch) {
        QVERIFY(arm < 3);
        QCOMPARE(QThread::currentThreadId(), thread);
        samples += batch.size();
    };
    const Study done = study(asked, events);
    QVERIFY(done.complete);
    QCOMPARE(ended, std::size_t{3 * 7});
    QVERIFY(samples > 0);
    for (const RunRecord& run : done.runs) {
        QVERIFY2(run.status == RunStatus::ok, run.error.c_str());
        QCOMPARE(run.bytesIn, mib(8));
        QVERIFY(run.cache.residentBefore.value_or(1) >= 0.99);
        QVERIFY(run.cache.reached);
        QVERIFY(run.counters.count("machine_span_ns") == 1);
        QVERIFY(run.sampling.costFraction >= 0);
    }
    for (const ArmSummary& summary : done.summary) {
        QVERIFY(summary.outcomesAgree == true);
        QCOMPARE(summary.runs, 5U);
        QVERIFY(summary.ratio && *summary.medianBytesPerSecond > 0);
    }
}

void TestRealStudy::emptyFile() {
    const Study done = study(request(Isolation::inProcess, {"read", "mmap"}, write("empty", 0)));
    QVERIFY(done.complete);
    QCOMPARE(done.runs.front().status, RunStatus::ok);
    QCOMPARE(done.runs.front().bytesIn, Bytes(0));
    QCOMPARE(std::count_if(done.runs.begin(), done.runs.end(), [](const RunRecord& r) { return r.arm == 1; }),
             1);
    QCOMPARE(done.runs[1].status, RunStatus::unavailable);
}

void TestRealStudy::everyRunIsInTheStateAskedFor_data() {
    QTest::addColumn<int>("state");
    for (const CacheState state : {CacheState::warm, CacheState::warmSmall, CacheState::cold,
                                   CacheState::resident, CacheState::asis}) {
        QTest::newRow(std::string(name(state)).c_str()) << int(state);
    }
}

void TestRealStudy::everyRunIsInTheStateAskedFor() {
    QFETCH(int, state);
    StudyRequest asked = request(Isolation::inProcess, {"read", "mmap"}, file_);
    asked.cache = CacheState(state);
    const Study done = study(asked);
    for (const RunRecord& run : done.runs) {
        QCOMPARE(int(run.cache.state), state);
        // On a filesystem that can't be evicted the state is said not to be reached, never silently another.
        QVERIFY(run.cache.reached || !run.cache.reason.empty());
        if (run.cache.reached && state == int(CacheState::cold)) {
            QVERIFY(*run.cache.residentBefore <= 0.01);
            QVERIFY(*run.cache.residentAfter > 0.99);
        }
    }
}

void TestRealStudy::killedWorkerCostsOneRun() {
    // A program that kills itself in its fourth run and else is the worker.
    const QString count = folder_.filePath("count");
    QFile script(folder_.filePath("worker.sh"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write(QString("#!/bin/sh\necho x >> %1\n[ $(wc -l < %1) -eq 8 ] && kill -9 $$\nexec %2 \"$@\"\n")
                     .arg(count, MMAPSCOPE_WORKER)
                     .toUtf8());
    script.close();
    QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    StudyRequest asked = request(Isolation::worker, {"read", "mmap"}, file_);
    asked.workerProgram = script.fileName().toStdString();
    const Study done = study(asked);
    QVERIFY(done.complete);
    QCOMPARE(done.runs.size(), std::size_t{14});
    QCOMPARE(std::count_if(done.runs.begin(), done.runs.end(),
                           [](const RunRecord& r) { return r.status == RunStatus::failed; }),
             1);
    QCOMPARE(done.runs[7].status, RunStatus::failed);
    QVERIFY2(done.runs[7].error.find("SIGKILL") != std::string::npos, done.runs[7].error.c_str());
    QVERIFY(!done.warnings.empty() && done.warnings.front().find("SIGKILL") != std::string::npos);
}

void TestRealStudy::truncatedFileEndsTheStudy() {
    const QString path = write("shrinking", 4 << 20);
    const StudyRequest asked = request(Isolation::inProcess, {"read", "mmap"}, path);
    StudyEvents events;
    events.runEnded = [&](const Study& s) {
        if (s.runs.size() == 5) {
            QFile(path).resize(1 << 20);
        }
    };
    const Study done = study(asked, events);
    QVERIFY(!done.complete);
    QCOMPARE(done.runs.size(), std::size_t{6});
    QCOMPARE(*done.runs.back().errorKind, ErrorKind::changed);
    QVERIFY(done.warnings.front().find("4 MiB when the study began, 1 MiB now") != std::string::npos);
}

void TestRealStudy::whatIsGoneEndsTheStudy() {
    const QString folder = folder_.filePath("emptied");
    QVERIFY(QDir().mkpath(folder));
    const QString inFolder = write("emptied/only", 1 << 20);
    const QString alone = write("gone", 1 << 20);
    for (const auto& [input, victim, says] :
         {std::tuple(alone, alone, "it was moved or deleted; put it back"),
          std::tuple(folder, inFolder, "measure again once nothing writes to it")}) {
        StudyEvents events;
        events.runEnded = [&](const Study& s) {
            if (s.runs.size() == 5) {
                QFile::remove(victim);
            }
        };
        const Study done = study(request(Isolation::inProcess, {"read", "mmap"}, input), events);
        QVERIFY(!done.complete);
        QCOMPARE(done.runs.size(), std::size_t{6});
        QCOMPARE(*done.runs.back().errorKind, ErrorKind::changed);
        QVERIFY2(done.runs.back().error.find(says) != std::string::npos, done.runs.back().error.c_str());
    }
}

void TestRealStudy::stopsSoon() {
    const StudyRequest asked = request(Isolation::worker, {"read", "mmap"}, write("large", 96 << 20));
    std::stop_source stop;
    StudyEvents events;
    QElapsedTimer since;
    events.progress = [&](const Progress& p) {
        if (p.stage == StudyStage::running && p.phase == Phase::warmup && !stop.stop_requested()) {
            stop.request_stop();
            since.start();
        }
    };
    const Study done = study(asked, events, stop.get_token());
    QVERIFY2(since.elapsed() < 1000, qPrintable(QString::number(since.elapsed())));
    QVERIFY(!done.complete);
    QVERIFY(done.runs.size() >= 2 && done.runs.size() <= 3);
}

QTEST_GUILESS_MAIN(TestRealStudy)
#include "tst_real_study.moc"
