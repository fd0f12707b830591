// The worker as a program of its own, and the side that starts it.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "engine/run/run_support.h"
#include "run/execute.h"
#include "run/frames.h"
#include "run/record_json.h"
#include "run/stamps.h"
#include "run/worker_client.h"
#include "run/worker_process.h"
#include "support/worker_lookup.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::duration d) {
    return std::chrono::duration<double, std::milli>(d).count();
}

bool soon(const std::function<bool()>& condition,
          std::chrono::milliseconds patience = std::chrono::seconds(5)) {
    const auto until = Clock::now() + patience;
    while (!condition()) {
        if (Clock::now() > until) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

Bytes rssAnonOf(pid_t pid) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("RssAnon:")) {
            return kib(std::stoull(line.substr(8)));
        }
    }
    return Bytes(0);
}

}  // namespace

class TestWorker : public QObject {
    Q_OBJECT
    QTemporaryDir dir_;
    std::string path_;

  private slots:
    void initTestCase() {
        QVERIFY(dir_.isValid());
        path_ = writeFile(file("input"), randomBytes(mib(16).size()));
    }

    void sameAsInProcess() {
        RunRequest request = mustRequest(path_, "mmap", "scan", 2);
        const RunRecord here = executeRun(request, nullptr, {});
        std::size_t samples = 0;
        const RunRecord there = runInWorker(
            MMAPSCOPE_WORKER, request, [&](std::span<const Sample> batch) { samples += batch.size(); }, {});
        QVERIFY2(there.status == RunStatus::ok, there.error.c_str());
        QVERIFY(*here.outcome == *there.outcome);
        QCOMPARE(there.bytesIn, here.bytesIn);
        QVERIFY(there.stamps.tNs.size() >= std::min<std::uint64_t>(256, there.bytesIn / kFinestMeasuredStep));
        QCOMPARE(there.stamps.bytes.back(), there.bytesIn.count());
        QVERIFY(samples >= 2);
        QCOMPARE(there.sampling.samples.back().bytesIn, there.bytesIn.count());
        QVERIFY(there.sampling.costFraction > 0);
        QVERIFY(there.peakRss && *there.peakRss >= mib(16));
        QVERIFY(workersOf(getpid()).empty());
    }

    void anErrorComesBackAsItIs() {
        RunRequest request = mustRequest(path_, "read", "scan");
        request.source = "telepathy";
        const RunRecord r = runInWorker(MMAPSCOPE_WORKER, request, {}, {});
        QVERIFY(r.status == RunStatus::failed && r.errorKind == ErrorKind::usage);
        QVERIFY2(r.error.find("telepathy") != std::string::npos, r.error.c_str());
    }

    void aPathThatIsNoTextWorks() {
        const std::string odd = writeFile(file("odd \xff\n name"), "12345678");
        const RunRecord r = runInWorker(MMAPSCOPE_WORKER, mustRequest(odd, "read", "scan"), {}, {});
        QVERIFY2(r.status == RunStatus::ok, r.error.c_str());
    }

    void programsThatAreNoWorker_data() {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("named");
        QTest::newRow("missing") << "/nowhere/mmapscope-worker"
                                 << "/nowhere/mmapscope-worker: No such file";
        QTest::newRow("not executable") << "/etc/passwd"
                                        << "Permission denied; install";
        QTest::newRow("a folder") << "/etc"
                                  << "Permission denied; install";
        QFile text(dir_.filePath("text"));
        QVERIFY(text.open(QIODevice::WriteOnly) && text.write("\177ELF, but for no machine") > 0);
        text.close();
        QVERIFY(text.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        QTest::newRow("of no machine") << text.fileName() << "Exec format error; install";
        QTest::newRow("silent end") << "/bin/true"
                                    << "ended without a record; is it really mmapscope-worker?";
        QTest::newRow("status") << "/bin/false"
                                << "ended with status 1";
        QTest::newRow("prints an error")
            << script("echo out of cheese >&2; exit 3") << "status 3; it printed: out of cheese";
        QTest::newRow("garbage") << script("echo this is not a frame at all") << "unknown type";
        QTest::newRow("half a frame")
            << script("printf '\\005\\000\\000\\000\\001\\000ab'") << "middle of a message";
        QTest::newRow("record before hello")
            << script("printf '\\002\\000\\000\\000\\005\\000{}'; sleep 1") << "not its turn";
        QTest::newRow("hello of the future")
            << script(hello(
                   "\"protocol\":99,\"tool\":\"9.9\",\"sample_bytes\":8,\"byte_order\":\"little\",\"pid\":1"))
            << "speaks protocol 99";
        QTest::newRow("hello that is none") << script(hello("\"a\":1")) << "hello.protocol is missing";
        QTest::newRow("kills itself") << script("kill -SEGV $$; sleep 1") << "signal 11 (SIGSEGV)";
        QTest::newRow("out of memory")
            << script("kill -KILL $$; sleep 1") << "signal 9 (SIGKILL): it ran out of memory";
        QTest::newRow("record that is none")
            << script(ownHelloFrame() + "printf '\\002\\000\\000\\000\\005\\000[]'; sleep 1")
            << "record is not an object";
    }

    void programsThatAreNoWorker() {
        QFETCH(QString, program);
        QFETCH(QString, named);
        const auto before = holdings(path_);
        const RunRecord r = runInWorker(program.toStdString(), mustRequest(path_, "read", "scan"), {}, {});
        QVERIFY(r.status == RunStatus::failed);
        QVERIFY2(QString::fromStdString(r.error).contains(named), r.error.c_str());
        QVERIFY(r.error.find('\n') == std::string::npos);
        QVERIFY(holdings(path_) == before);
        QCOMPARE(::waitpid(-1, nullptr, WNOHANG), -1);  // nothing left to reap
    }

    void killedInTheMiddle() {
        const RunRequest request = longRequest();
        std::atomic<bool> sampled{false};
        std::jthread killer([&] {
            if (soon([&] { return sampled.load() && !workersOf(getpid()).empty(); })) {
                ::kill(workersOf(getpid()).front(), SIGKILL);
            }
        });
        const RunRecord r =
            runInWorker(MMAPSCOPE_WORKER, request, [&](std::span<const Sample>) { sampled = true; }, {});
        killer.join();
        QVERIFY(r.status == RunStatus::failed);
        QVERIFY2(r.error.find("killed by signal 9 (SIGKILL)") != std::string::npos, r.error.c_str());
        const RunRecord next = runInWorker(MMAPSCOPE_WORKER, mustRequest(path_, "mmap", "scan"), {}, {});
        QVERIFY2(next.status == RunStatus::ok, next.error.c_str());
    }

    void aStopIsObeyedSoon() {
        const RunRequest request = longRequest();
        std::stop_source stop;
        std::atomic<bool> sampled{false};
        Clock::time_point asked;
        std::jthread stopper([&] {
            (void)soon([&] { return sampled.load(); });
            asked = Clock::now();
            stop.request_stop();
        });
        const RunRecord r = runInWorker(
            MMAPSCOPE_WORKER, request, [&](std::span<const Sample>) { sampled = true; }, stop.get_token());
        const auto returned = Clock::now();
        stopper.join();
        QVERIFY2(r.status == RunStatus::cancelled, r.error.c_str());
        QVERIFY(workersOf(getpid()).empty());
        qInfo("%.1f ms from stop to return", milliseconds(returned - asked));
        QVERIFY(returned - asked < std::chrono::seconds(1));
    }

    /// It neither reads nor answers: only SIGKILL ends it.
    void aStopEndsAWorkerThatHangs() {
        std::stop_source stop;
        Clock::time_point asked;
        std::jthread stopper([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            asked = Clock::now();
            stop.request_stop();
        });
        const RunRecord r = runInWorker(script("exec sleep 60").toStdString(),
                                        mustRequest(path_, "read", "scan"), {}, stop.get_token());
        const auto returned = Clock::now();
        stopper.join();
        QVERIFY(r.status == RunStatus::cancelled);
        qInfo("%.1f ms from stop to return", milliseconds(returned - asked));
        QVERIFY(returned - asked < std::chrono::seconds(1));
        QCOMPARE(::waitpid(-1, nullptr, WNOHANG), -1);
    }

    void aProgramThatSaysNothingIsNoWorker() {
        RunWatch watch;
        watch.helloPatience = std::chrono::milliseconds(100);
        const RunRecord r =
            runInWorker(script("exec sleep 60").toStdString(), mustRequest(path_, "read", "scan"), watch, {});
        QVERIFY(r.status == RunStatus::failed && isNoWorker(r));
        QVERIFY2(r.error.find("said nothing for 100 ms: is it really mmapscope-worker?") != std::string::npos,
                 r.error.c_str());
        QCOMPARE(::waitpid(-1, nullptr, WNOHANG), -1);
        QVERIFY(isNoWorker(runInWorker("/bin/true", mustRequest(path_, "read", "scan"), watch, {})));
        QVERIFY(!isNoWorker(
            runInWorker(script("exit 3").toStdString(), mustRequest(path_, "read", "scan"), watch, {})));
    }

    void aStoppedWorkerIsToldOf_data() {
        QTest::addColumn<bool>("sampling");
        QTest::newRow("samples") << true;
        QTest::newRow("no samples") << false;
    }
    void aStoppedWorkerIsToldOf() {
        QFETCH(bool, sampling);
        RunRequest request = longRequest();
        request.sampling = sampling;
        std::stop_source stop;
        std::vector<std::string> said;
        RunWatch watch;
        watch.silentAfter = std::chrono::milliseconds(150);
        watch.silence = [&](const std::string& what) {
            said.push_back(what);
            for (const pid_t worker : workersOf(getpid())) {
                ::kill(worker, SIGCONT);
            }
            if (what.empty() || !sampling) {
                stop.request_stop();
            }
        };
        std::atomic<bool> ended{false};
        std::jthread stopper([&] {
            if (soon([] { return !workersOf(getpid()).empty(); })) {
                std::this_thread::sleep_for(std::chrono::milliseconds(50));  // after its hello
                for (const pid_t worker : workersOf(getpid())) {
                    ::kill(worker, SIGSTOP);
                }
            }
            (void)soon([&] { return ended.load(); });
            stop.request_stop();
        });
        const RunRecord r = runInWorker(MMAPSCOPE_WORKER, request, watch, stop.get_token());
        ended = true;
        stopper.join();
        QVERIFY2(r.status == RunStatus::cancelled, r.error.c_str());
        QVERIFY(!said.empty());
        QVERIFY2(said.front().find("a signal stopped it; `kill -CONT ") != std::string::npos,
                 said.front().c_str());
        QVERIFY(said.back().empty());  // it spoke again, if only its record
    }

    void diesWithItsParent() {
        const RunRequest request = longRequest();
        const pid_t parent = ::fork();
        if (parent == 0) {
            (void)runInWorker(MMAPSCOPE_WORKER, request, {}, {});
            ::_exit(0);
        }
        QVERIFY(parent > 0);
        std::vector<pid_t> workers;
        const bool started = soon([&] { return !(workers = workersOf(parent)).empty(); });
        std::this_thread::sleep_for(std::chrono::milliseconds(30));  // into the run
        ::kill(parent, SIGKILL);
        ::waitpid(parent, nullptr, 0);
        QVERIFY(started);
        QVERIFY2(soon([&] { return ::kill(workers.front(), 0) != 0 || isZombie(workers.front()); }),
                 "the worker outlived its parent");
    }

    void endsWhenItsInputEnds() {
        auto worker = WorkerProcess::start({MMAPSCOPE_WORKER});
        QVERIFY(worker);
        QVERIFY(writeFrame(worker->input(), FrameType::request, dumpJson(toJson(longRequest()))));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        worker->closeInput();
        QCOMPARE(worker->end(5000), std::string());  // by itself, with the record of a cancelled run
    }

    void requestsItCantRead_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("text") << QByteArray("hello worker, please run\n");
        QTest::newRow("stop first") << QByteArray::fromStdString(encodeFrame(FrameType::stop, ""));
        QTest::newRow("no JSON") << QByteArray::fromStdString(encodeFrame(FrameType::request, "run!"));
        QTest::newRow("empty object") << QByteArray::fromStdString(encodeFrame(FrameType::request, "{}"));
        QTest::newRow("half") << QByteArray::fromStdString(encodeFrame(FrameType::request, "{}")).left(7);
    }

    void requestsItCantRead() {
        QFETCH(QByteArray, bytes);
        QProcess worker;
        worker.start(MMAPSCOPE_WORKER, QStringList());
        QVERIFY(worker.waitForStarted());
        worker.write(bytes);
        worker.closeWriteChannel();
        QVERIFY(worker.waitForFinished(5000));
        QCOMPARE(worker.exitStatus(), QProcess::NormalExit);
        QCOMPARE(worker.exitCode(), 1);
        const QByteArray said = worker.readAllStandardError();
        QVERIFY2(said.startsWith("mmapscope-worker: ") && said.count('\n') == 1, said.constData());
    }

    void byHand() {
        QProcess worker;
        worker.start(MMAPSCOPE_WORKER, {"--version"});
        QVERIFY(worker.waitForFinished(5000));
        QCOMPARE(worker.readAllStandardOutput(), QByteArray("mmapscope-worker " MMAPSCOPE_VERSION "\n"));
        worker.start(MMAPSCOPE_WORKER, {"--help-me"});
        QVERIFY(worker.waitForFinished(5000));
        QCOMPARE(worker.exitCode(), 2);
        QCOMPARE(worker.readAllStandardError().count('\n'), 1);
        worker.start(MMAPSCOPE_WORKER, {"--parent=1"});  // not its parent any more
        QVERIFY(worker.waitForFinished(5000));
        QCOMPARE(worker.exitCode(), 1);
    }

    void smallBeforeItOpensItsFile() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("a sanitizer's own memory would be counted");
#endif
        auto worker = WorkerProcess::start({MMAPSCOPE_WORKER});
        QVERIFY(worker);
        FrameReader reader;
        std::optional<Frame> frame;
        while (!frame) {
            std::array<char, 512> bytes;
            const ssize_t n = ::read(worker->output(), bytes.data(), bytes.size());
            QVERIFY(n > 0);
            reader.feed({bytes.data(), static_cast<std::size_t>(n)});
            frame = reader.next().value();
        }
        // It said hello and waits for its request.
        const Bytes anon = rssAnonOf(worker->pid());
        qInfo("%llu KiB of anonymous memory before the request",
              static_cast<unsigned long long>(anon.count() / 1024));
        QVERIFY(!anon.isZero() && anon < mib(4));

        // And with its threads, sampler and buffers, of a run that holds nothing itself.
        RunRequest request = mustRequest(writeFile(file("tiny"), "12345678"), "mmap", "scan", 2);
        request.phase = Phase::inspection;
        const RunRecord r = runInWorker(MMAPSCOPE_WORKER, request, {}, {});
        QVERIFY2(r.status == RunStatus::ok, r.error.c_str());
        qInfo("%llu KiB of its own memory in a run of 8 bytes",
              static_cast<unsigned long long>(r.peakPrivate->count() / 1024));
        QVERIFY(r.peakPrivate && *r.peakPrivate < mib(4));
    }

    /// The figure is printed; the bound is wide because other programs may be running.
    void quickToItsFirstByte() {
        const RunRequest request = mustRequest(path_, "read", "scan");
        double least = 1e9;
        for (int i = 0; i < 10; ++i) {
            const auto start = Clock::now();
            const RunRecord r = runInWorker(MMAPSCOPE_WORKER, request, {}, {});
            const auto all = Clock::now() - start;
            QVERIFY2(r.status == RunStatus::ok, r.error.c_str());
            least = std::min(least, milliseconds(all - (r.wall - r.setup)));
        }
        qInfo("%.1f ms from spawn to first byte, at most (least of ten)", least);
        QVERIFY(least < 200);
    }

    void theWorkerIsFound() {
        const auto found = findWorkerProgram();
        QVERIFY2(found, found ? "" : found.error().message.c_str());
        QVERIFY(std::filesystem::equivalent(*found, MMAPSCOPE_WORKER));
    }

  private:
    std::string file(const char* name) {
        return dir_.filePath(name).toStdString();
    }

    /// Keeps a worker busy for long: a page at a time of a large sparse file.
    RunRequest longRequest() {
        const std::string path = writeFile(file("long"), "");
        if (::truncate(path.c_str(), off_t{8} << 30U) != 0) {
            qFatal("can't make %s", path.c_str());
        }
        return mustRequest(path, "mmap-random", "scan");
    }

    QString script(const std::string& body) {
        static int count = 0;
        const std::string path = file(("script" + std::to_string(++count)).c_str());
        writeFile(path, "#!/bin/sh\n" + body + "\n");
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
        return QString::fromStdString(path);
    }

    static std::string frameCommand(FrameType type, const std::string& payload) {
        std::string octal;
        for (const char c : encodeFrame(type, payload)) {
            octal += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
        }
        return "printf '" + octal + "'; ";
    }
    static std::string hello(const std::string& members) {
        return frameCommand(FrameType::hello, "{" + members + "}") + "sleep 1";
    }
    static std::string ownHelloFrame() {
        return frameCommand(FrameType::hello, encodeHello(ownHello()));
    }

    static bool isZombie(pid_t pid) {
        std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
        std::string text;
        std::getline(stat, text);
        const auto close = text.rfind(')');
        return close != std::string::npos && text.size() > close + 2 && text[close + 2] == 'Z';
    }
};

QTEST_GUILESS_MAIN(TestWorker)
#include "tst_worker.moc"
