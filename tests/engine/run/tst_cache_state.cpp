#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <fstream>

#include "core/unique_fd.h"
#include "engine/probe/probe_support.h"
#include "probe/folios.h"
#include "probe/residency.h"
#include "run/cache_fill.h"
#include "run/cache_state.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

/// mlock(2) itself: the sanitizers put a function that does nothing in its place.
bool lockInMemory(void* memory, std::size_t length) {
    return ::syscall(SYS_mlock, memory, length) == 0;
}

/// A child that maps the file, locks it in memory, says so, and waits to be ended.
class Locker {
  public:
    explicit Locker(const std::string& path) {
        int pipe[2];
        if (::pipe(pipe) != 0) {
            qFatal("no pipe");
        }
        child_ = ::fork();
        if (child_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            const int fd = ::open(path.c_str(), O_RDONLY);
            struct stat st {};
            ::fstat(fd, &st);
            const auto length = static_cast<std::size_t>(st.st_size);
            void* const memory = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, fd, 0);
            const char done = memory != MAP_FAILED && lockInMemory(memory, length) ? 'y' : 'n';
            (void)!::write(pipe[1], &done, 1);
            for (;;) {
                ::pause();
            }
        }
        char done = 'n';
        (void)!::read(pipe[0], &done, 1);
        locked_ = done == 'y';
        ::close(pipe[0]);
        ::close(pipe[1]);
    }
    ~Locker() {
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
    }
    Locker(const Locker&) = delete;
    Locker& operator=(const Locker&) = delete;
    [[nodiscard]] bool locked() const { return locked_; }
    [[nodiscard]] pid_t pid() const { return child_; }

  private:
    pid_t child_ = -1;
    bool locked_ = false;
};

void write(const std::string& path, std::size_t length) {
    std::ofstream(path, std::ios::binary) << std::string(length, 'c');
}

std::string readAll(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

class TestCacheState : public QObject {
    Q_OBJECT

  private:
    QTemporaryDir directory_;
    std::string path_;
    FileFacts file_;
    Range all_;
    static constexpr std::size_t kLength = (24U << 20U) + 77;

    Result<CacheFacts> prepare(CacheState state, bool force) {
        return prepareCache(file_, all_, state, force, std::stop_token());
    }
    /// What warm makes here: a filesystem without large folios has small ones however it is read.
    [[nodiscard]] std::string warmHint() const {
        const auto look = lookAtFolios(file_, all_);
        return look && look->largestFolio == pageSize() && pageSize() == kib(4) ? "4 KiB" : "readahead-sized";
    }
    [[nodiscard]] double resident() const { return residencyOf(file_, all_)->fraction(); }

  private slots:
    void initTestCase() {
        path_ = directory_.filePath("a file").toStdString();
        write(path_, kLength);
        file_ = *inspectFile(path_);
        all_ = {Bytes(0), file_.bytes};
        if (file_.storage == StorageClass::memory) {
            QSKIP("the temporary directory is in memory and can't be evicted; set TMPDIR to a disk");
        }
    }
    void reachesEachState_data() {
        QTest::addColumn<int>("state");
        QTest::addColumn<QString>("folios");
        QTest::newRow("warm") << static_cast<int>(CacheState::warm) << "";
        QTest::newRow("warm-small") << static_cast<int>(CacheState::warmSmall) << "4 KiB";
        QTest::newRow("cold") << static_cast<int>(CacheState::cold) << "unknown";
        QTest::newRow("resident") << static_cast<int>(CacheState::resident) << "";
    }
    void reachesEachState() {
        QFETCH(int, state);
        QFETCH(QString, folios);
        const auto wanted = static_cast<CacheState>(state);
        const auto facts = prepare(wanted, true);
        QVERIFY2(facts.has_value(), facts ? "" : facts.error().message.c_str());
        QVERIFY2(facts->reached, facts->reason.c_str());
        QCOMPARE(facts->state, wanted);
        QCOMPARE(facts->reason, std::string());
        QVERIFY(facts->residentBefore.has_value());
        QVERIFY(!facts->residentAfter.has_value());
        QCOMPARE(*facts->residentBefore, resident());
        if (wanted == CacheState::cold) {
            QVERIFY(*facts->residentBefore <= 0.01);
        } else {
            QVERIFY(*facts->residentBefore >= 0.99);
        }
        const auto look = lookAtFolios(file_, all_);
        if (wanted == CacheState::warm) {
            QCOMPARE(facts->folioHint, warmHint());
        } else if (wanted == CacheState::resident) {
            QVERIFY(facts->folioHint == "unknown" || warmHint() == "4 KiB");
        } else if (pageSize() == kib(4)) {
            QCOMPARE(QString::fromStdString(facts->folioHint), folios);
        }
        if (wanted == CacheState::warmSmall && look->largestFolio) {
            QCOMPARE(*look->largestFolio, pageSize());
        }
    }
    void dirtyFileGetsCold() {
        write(path_, kLength);  // dirty now, the same bytes
        const UniqueFd fd(::open(path_.c_str(), O_RDONLY));
        file_ = *inspectFile(path_);
        const auto facts = prepare(CacheState::cold, false);
        QVERIFY(facts.has_value());
        QVERIFY2(facts->reached, facts->reason.c_str());
        QCOMPARE(readAll(path_), std::string(kLength, 'c'));
    }
    void asIsTouchesNothing() {
        QVERIFY(prepare(CacheState::cold, true)->reached);
        const auto cold = prepare(CacheState::asis, true);
        QVERIFY(cold->reached);
        QVERIFY(*cold->residentBefore <= 0.01);
        QVERIFY(resident() <= 0.01);
    }
    void whatIsThereIsNotDoneAgain() {
        QVERIFY(prepare(CacheState::warmSmall, true)->reached);
        // Kept: asked for again, and nothing was evicted; the hint is of what was prepared.
        const auto again = prepare(CacheState::warmSmall, false);
        QVERIFY(again->reached);
        QCOMPARE(again->folioHint, pageSize() == kib(4) ? std::string("4 KiB") : std::string("unknown"));
        // Resident, but made for another state: not claimed to be readahead-sized.
        QCOMPARE(prepare(CacheState::warm, false)->folioHint, std::string("unknown"));
        const std::string made = prepare(CacheState::warm, true)->folioHint;
        QCOMPARE(made, warmHint());
        QCOMPARE(prepare(CacheState::warm, false)->folioHint, made);
    }
    void lostPagesAreFilledAgain() {
        QVERIFY(prepare(CacheState::warm, true)->reached);
        const UniqueFd fd(::open(path_.c_str(), O_RDONLY));
        QVERIFY(evict(fd.get(), {Bytes(0), mib(12)}, std::stop_token(), {}).has_value());
        QVERIFY(resident() < 0.6);
        const auto facts = prepare(CacheState::warm, false);
        QVERIFY(facts->reached);
        QVERIFY(*facts->residentBefore >= 0.99);
    }
    void residentReadsOnlyWhatIsMissing() {
        QVERIFY(prepare(CacheState::warm, true)->reached);
        const UniqueFd fd(::open(path_.c_str(), O_RDONLY));
        QVERIFY(evict(fd.get(), {mib(8), mib(10)}, std::stop_token(), {}).has_value());
        QVERIFY(resident() < 0.95);
        Bytes done;
        QVERIFY(fillMissing(fd.get(), all_, std::stop_token(), [&done](Bytes n) { done = n; }).has_value());
        QCOMPARE(resident(), 1.0);
        QCOMPARE(done, file_.bytes);
    }
    void partOfAFile() {
        QVERIFY(prepare(CacheState::cold, true)->reached);
        const Range part{Bytes(0), mib(4)};
        const auto facts = prepareCache(file_, part, CacheState::warmSmall, true, std::stop_token());
        QVERIFY(facts->reached);
        QVERIFY(resident() < 0.3);  // the rest was left alone
        const auto cold = prepareCache(file_, part, CacheState::cold, true, std::stop_token());
        QVERIFY2(cold->reached, cold->reason.c_str());
    }
    void emptyRange() {
        for (const CacheState state : {CacheState::warm, CacheState::cold, CacheState::asis}) {
            const auto facts = prepareCache(file_, {Bytes(5), Bytes(5)}, state, true, std::stop_token());
            QVERIFY(facts && facts->reached);
            QVERIFY(!facts->residentBefore.has_value());
        }
    }

    void lockedByAnotherProcess() {
        const Locker locker(path_);
        if (!locker.locked()) {
            QSKIP("this process may not lock 24 MiB of memory (ulimit -l)");
        }
        const auto cold = prepare(CacheState::cold, true);
        QVERIFY(cold.has_value());
        QVERIFY(!cold->reached);
        QVERIFY(*cold->residentBefore > 0.99);
        QVERIFY2(cold->reason.find("process " + std::to_string(locker.pid())) != std::string::npos,
                 cold->reason.c_str());
        // Warm as to residency; but its folios are whatever they were, and that is said.
        const auto warm = prepare(CacheState::warm, true);
        QVERIFY(warm->reached);
        QCOMPARE(warm->folioHint, std::string("unknown"));
        QVERIFY(warm->reason.find("could not be evicted") != std::string::npos);
        const auto small = prepare(CacheState::warmSmall, true);
        QVERIFY(!small->reached);
    }
    void tmpfsCantBeEvicted() {
        const std::string path = "/dev/shm/mmapscope-cache-test-" + std::to_string(::getpid());
        write(path, 1U << 20U);
        const auto file = inspectFile(path);
        if (!file || file->filesystem != "tmpfs") {
            std::filesystem::remove(path);
            QSKIP("/dev/shm is not a tmpfs here");
        }
        const Range range{Bytes(0), file->bytes};
        const auto cold = prepareCache(*file, range, CacheState::cold, true, std::stop_token());
        const auto warm = prepareCache(*file, range, CacheState::warm, true, std::stop_token());
        std::filesystem::remove(path);
        QVERIFY(cold && warm);
        QVERIFY(!cold->reached);
        QVERIFY2(cold->reason.find("100.0 % (1 MiB)") != std::string::npos, cold->reason.c_str());
        QVERIFY(cold->reason.find("tmpfs keeps its files in memory") != std::string::npos);
        QVERIFY(warm->reached);
        QCOMPARE(warm->folioHint, std::string("unknown"));
    }
    void notOurFile() {
        ::chmod(directory_.path().toUtf8().constData(), 0755);
        ::chmod(path_.c_str(), 0644);
        const int result = asNobody([this] {
            const auto file = inspectFile(path_);
            if (!file) {
                return 1;
            }
            int wrong = 0;
            for (const CacheState state : {CacheState::warm, CacheState::cold, CacheState::resident}) {
                const auto facts = prepareCache(*file, all_, state, true, std::stop_token());
                const bool told = facts && !facts->reached && !facts->residentBefore &&
                                  facts->reason.find("not your file") != std::string::npos;
                wrong += told ? 0 : 2;
            }
            return wrong;
        });
        if (result == 100) {
            QSKIP("needs root, to drop its privileges");
        }
        QCOMPARE(result, 0);
    }
    void stopEndsIt() {
        std::stop_source stop;
        struct Seen {
            std::stop_source* stop;
            double last;
        } seen{&stop, 0};
        const auto facts = prepareCache(
            file_, all_, CacheState::warmSmall, true, stop.get_token(),
            [](double done, void* context) {
                auto* s = static_cast<Seen*>(context);
                s->last = done;
                if (done > 0.4) {
                    s->stop->request_stop();
                }
            },
            &seen);
        QVERIFY(!facts.has_value());
        QCOMPARE(facts.error().kind, ErrorKind::cancelled);
        QVERIFY(seen.last < 0.6);  // at the next look, not at the end
        const auto never = prepareCache(file_, all_, CacheState::cold, true, stop.get_token());
        QCOMPARE(never.error().kind, ErrorKind::cancelled);
    }
    void progressOnlyGoesUp() {
        std::vector<double> seen;
        const auto facts = prepareCache(
            file_, all_, CacheState::warm, true, std::stop_token(),
            [](double done, void* context) { static_cast<std::vector<double>*>(context)->push_back(done); },
            &seen);
        QVERIFY(facts.has_value());
        QVERIFY(seen.size() > 10);
        QVERIFY(std::is_sorted(seen.begin(), seen.end()));
        QCOMPARE(seen.back(), 1.0);
    }
    void shrunkAndGoneFilesAreErrors() {
        const std::string path = directory_.filePath("short").toStdString();
        write(path, 1U << 20U);
        FileFacts planned = *inspectFile(path);
        QCOMPARE(::truncate(path.c_str(), 1000), 0);
        const auto shrunk =
            prepareCache(planned, {Bytes(0), planned.bytes}, CacheState::warm, true, std::stop_token());
        QVERIFY(!shrunk.has_value());
        QCOMPARE(shrunk.error().kind, ErrorKind::changed);
        QVERIFY(shrunk.error().message.find("1000 of 1048576") != std::string::npos);
        std::filesystem::remove(path);
        const auto gone =
            prepareCache(planned, {Bytes(0), planned.bytes}, CacheState::warm, true, std::stop_token());
        QVERIFY(!gone.has_value());
        QCOMPARE(gone.error().kind, ErrorKind::failed);
        QVERIFY(gone.error().message.find("put it back") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestCacheState)
#include "tst_cache_state.moc"
