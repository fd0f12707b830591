// A folder read as one: every source, some threads, files of all sizes, and what may happen to the files.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <map>

#include "run/cache_state.h"
#include "run/execute.h"
#include "run/record_json.h"
#include "run_support.h"
#include "source/folder.h"
#include "support/pool_guard.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

namespace fs = std::filesystem;

/// Paths in the order they are read: bytes of the whole path, so that "a.b" comes before "a/x".
const std::vector<std::pair<std::string, std::size_t>> kTree = {
    {".hidden", 1},
    {"A", 4095},
    {"a b", 0},
    {"a!b/c", 70'001},
    {"a.b", 300'000},
    {"a/b/deep", 2'600'001},
    {"a/empty", 0},
    {"a/x", 16'384},
    {"a0", 1'048'577},
    {"z", 5'000'000},
    {"\xC3\xA9t\xC3\xA9", 12'345},
};

std::string outcomeOf(const RunRecord& run) {
    return run.outcome ? dumpJson(outcomeToJson(*run.outcome))
                       : std::string(name(run.status)) + ": " + run.error;
}

}  // namespace

class TestFolder : public QObject {
    Q_OBJECT
    QTemporaryDir dir_;
    std::string folder_, joined_;

    RunRecord run(const std::string& path, const std::string& source, const std::string& workload,
                  unsigned threads, std::string_view parameters = {}) {
        auto request = requestFor(path, source, workload, threads, {}, parameters);
        if (!request) {
            RunRecord failed;
            failed.error = request.error().message;
            failed.errorKind = request.error().kind;
            return failed;
        }
        request->sampling = false;
        request->phase = Phase::inspection;
        // As a worker would get it.
        const auto sent = runRequestFromJson(toJson(*request));
        return sent ? executeRun(*sent, nullptr, {}) : RunRecord();
    }

    std::string makeTree(const QString& name) {
        const std::string root = dir_.filePath(name).toStdString();
        std::uint64_t seed = 0;
        for (const auto& [path, size] : kTree) {
            fs::create_directories(fs::path(root + "/" + path).parent_path());
            writeFile(root + "/" + path, randomBytes(size, ++seed));
        }
        return root;
    }

  private slots:
    void initTestCase() {
        folder_ = makeTree("folder");
        std::string all;
        std::uint64_t seed = 0;
        for (const auto& [path, size] : kTree) {
            all += randomBytes(size, ++seed);
        }
        joined_ = writeFile(dir_.filePath("joined").toStdString(), all);
    }

    void filesAreInTheOrderOfTheirWholePaths() {
        QCOMPARE(::mkfifo((folder_ + "/fifo").c_str(), 0600), 0);
        const auto facts = inspectInput(folder_ + "/");
        fs::remove(folder_ + "/fifo");
        QVERIFY2(facts.has_value(), qPrintable(QString::fromStdString(facts ? "" : facts.error().message)));
        QCOMPARE(facts->members.size(), kTree.size());
        QCOMPARE(facts->leftOut, std::uint64_t{1});
        Bytes begin;
        for (std::size_t i = 0; i < kTree.size(); ++i) {
            QCOMPARE(facts->members[i].path, kTree[i].first);
            QCOMPARE(facts->members[i].stamp.size.count(), std::uint64_t{kTree[i].second});
            QVERIFY(facts->members[i].begin == begin);
            begin += facts->members[i].stamp.size;
        }
        QVERIFY(facts->bytes == begin);
        QVERIFY(facts->owned && facts->writable);
        QCOMPARE(std::string(suggestWorkload(*facts).id), std::string("pieces"));
    }

    void everySourceDeliversTheFilesAsOne_data() {
        QTest::addColumn<QString>("workload");
        QTest::addColumn<QString>("parameters");
        QTest::newRow("scan") << "scan"
                              << "";
        QTest::newRow("pieces evp 16 KiB") << "pieces"
                                           << "piece=16KiB,engine=evp,name=n";
        QTest::newRow("pieces auto 256 KiB") << "pieces"
                                             << "name=n";
        QTest::newRow("pieces 4 MiB") << "pieces"
                                      << "piece=4MiB,name=n";
    }

    void everySourceDeliversTheFilesAsOne() {
        QFETCH(const QString, workload);
        QFETCH(const QString, parameters);
        const PoolGuard pool(16);
        const bool huge = pool.ready();
        const auto facts = inspectInput(folder_);
        RunRecord whole = run(joined_, "read", workload.toStdString(), 1, parameters.toStdString());
        QVERIFY2(whole.status == RunStatus::ok, whole.error.c_str());
        // A torrent of several files is another torrent than that of one.
        if (workload == "pieces") {
            std::erase_if(whole.outcome->fields, [](const auto& field) { return field.first == "infohash"; });
        }
        std::map<std::string, std::string> hashes;
        int ran = 0;
        for (const SourceType* source : allSources()) {
            for (const unsigned threads : {1U, 2U, 3U}) {
                const auto defaults = *parseParameters(source->parameters, "");
                const auto there =
                    availabilityFor(*source, *facts, defaults, {Bytes(0), facts->bytes}, threads);
                if (!there.available) {
                    QVERIFY(!there.reason.empty());
                    QVERIFY2(!source->traits.usesHugePages || !huge, there.reason.c_str());
                    continue;
                }
                const Holdings before = holdings(folder_);
                RunRecord r = run(folder_, std::string(source->id), workload.toStdString(), threads,
                                  parameters.toStdString());
                QCOMPARE(holdings(folder_), before);
                if (r.status == RunStatus::unavailable || r.errorKind == ErrorKind::unavailable) {
                    QVERIFY2(source->id == "mmap-collapse" || source->traits.usesHugePages, r.error.c_str());
                    continue;
                }
                QVERIFY2(r.status == RunStatus::ok,
                         qPrintable(QString::fromStdString(std::string(source->id) + ": " + r.error)));
                QVERIFY(r.bytesIn == facts->bytes);
                if (const auto* infohash = r.outcome->find("infohash")) {
                    hashes.emplace(std::get<std::string>(infohash->data), source->id);
                    std::erase_if(r.outcome->fields, [](const auto& f) { return f.first == "infohash"; });
                }
                QCOMPARE(outcomeOf(r), outcomeOf(whole));
                ++ran;
                if (source->id == "mmap-window") {
                    QVERIFY(!r.warnings.empty());
                    QVERIFY(r.warnings.back().find("by pread") != std::string::npos);
                }
            }
        }
        QVERIFY2(ran >= 3 * 17, qPrintable(QString::number(ran)));
        QVERIFY(hashes.size() <= 1);
    }

    void itsTorrentIsMktorrents_data() {
        QTest::addColumn<int>("exponent");
        for (const int exponent : {15, 18, 20, 24}) {
            QTest::addRow("2^%d", exponent) << exponent;
        }
    }

    void itsTorrentIsMktorrents() {
        QFETCH(const int, exponent);
        const QString program = QStandardPaths::findExecutable("mktorrent");
        if (program.isEmpty()) {
            QSKIP("mktorrent is not installed");
        }
        const QString theirs = dir_.filePath(QString("theirs-%1.torrent").arg(exponent));
        const QString ours = dir_.filePath(QString("ours-%1.torrent").arg(exponent));
        QProcess maker;
        maker.start(program,
                    {"-d", "-l", QString::number(exponent), "-o", theirs, QString::fromStdString(folder_)});
        QVERIFY(maker.waitForFinished() && maker.exitCode() == 0);
        const RunRecord r =
            run(folder_, "pread", "pieces", 2,
                fmt::format("piece={},torrent={}", Bytes(1ULL << exponent).count(), ours.toStdString()));
        QVERIFY2(r.status == RunStatus::ok, r.error.c_str());
        QFile a(theirs);
        QFile b(ours);
        QVERIFY(a.open(QIODevice::ReadOnly) && b.open(QIODevice::ReadOnly));
        const QByteArray mine = b.readAll();
        QVERIFY(mine.startsWith("d4:infod") && mine.endsWith("ee"));
        QVERIFY(a.readAll().contains(mine.mid(1, mine.size() - 2)));  // "4:info" and the dictionary
    }

    void cacheStatesAreThoseOfAllFiles() {
        const auto facts = *inspectInput(folder_);
        const Range all{Bytes(0), facts.bytes};
        const auto cold = prepareCache(facts, all, CacheState::cold, true, {});
        QVERIFY2(cold.has_value(), cold ? "" : cold.error().message.c_str());
        QVERIFY2(cold->reached, cold->reason.c_str());
        QVERIFY(cold->residentBefore.value_or(1) <= 0.01);
        std::vector<double> progress;
        const auto warm = prepareCache(
            facts, all, CacheState::warm, true, {},
            [](double done, void* list) { static_cast<std::vector<double>*>(list)->push_back(done); },
            &progress);
        QVERIFY2(warm && warm->reached, warm ? warm->reason.c_str() : warm.error().message.c_str());
        QVERIFY(warm->residentBefore.value_or(0) >= 0.99);
        QVERIFY(std::is_sorted(progress.begin(), progress.end()));
        QCOMPARE(progress.back(), 1.0);
    }

    void progressGoesByFilesToo() {
        const std::string root = dir_.filePath("many").toStdString();
        fs::create_directories(root);
        for (int i = 0; i < 200; ++i) {
            writeFile(root + "/small" + std::to_string(i), "x");
        }
        writeFile(root + "/z", std::string(4 << 20, 'z'));
        const auto facts = *inspectInput(root);
        std::vector<double> progress;
        const auto cold = prepareCache(
            facts, {Bytes(0), facts.bytes}, CacheState::cold, true, {},
            [](double done, void* list) { static_cast<std::vector<double>*>(list)->push_back(done); },
            &progress);
        QVERIFY2(cold && cold->reached, cold ? cold->reason.c_str() : cold.error().message.c_str());
        QVERIFY(std::is_sorted(progress.begin(), progress.end()));
        // Half of it before the file that holds nearly all bytes.
        QVERIFY(std::any_of(progress.begin(), progress.end(), [](double p) { return p > 0.2 && p < 0.5; }));
    }

    void deepFoldersAreRefusedInOneShortLine() {
        const std::string root = dir_.filePath("deep").toStdString();
        const std::string name(100, 'd');
        fs::create_directory(root);
        int at = ::open(root.c_str(), O_RDONLY | O_DIRECTORY);
        for (int i = 0; i < 60; ++i) {
            QCOMPARE(::mkdirat(at, name.c_str(), 0700), 0);
            const int next = ::openat(at, name.c_str(), O_RDONLY | O_DIRECTORY);
            ::close(at);
            at = next;
        }
        ::close(at);
        const auto facts = inspectInput(root);
        fs::remove_all(root);
        QVERIFY(!facts.has_value());
        const std::string& says = facts.error().message;
        QVERIFY2(says.size() < 600 && says.find("choose a folder less deep") != std::string::npos,
                 says.c_str());
    }

    void aChangedFileIsTold_data() {
        QTest::addColumn<QString>("how");
        for (const char* how : {"written", "shorter", "removed", "replaced"}) {
            QTest::newRow(how) << how;
        }
    }

    void aChangedFileIsTold() {
        QFETCH(const QString, how);
        const std::string root = makeTree("changing-" + how);
        const std::string victim = root + "/a/b/deep";
        auto request = requestFor(root, "mmap", "pieces");
        QVERIFY(request.has_value());
        if (how == "written") {
            writeFile(victim, randomBytes(2'600'001, 99));
        } else if (how == "shorter") {
            fs::resize_file(victim, 100'000);
        } else {
            fs::remove(victim);
            if (how == "replaced") {
                writeFile(victim, randomBytes(2'600'001, 99));
            }
        }
        const RunRecord r = executeRun(*request, nullptr, {});
        QVERIFY(r.status == RunStatus::failed);
        QVERIFY(r.errorKind == ErrorKind::changed);
        QVERIFY2(r.error.find("deep") != std::string::npos, r.error.c_str());
    }

    void unfitFoldersAreRefused() {
        const auto refused = [](const std::string& path) {
            const auto facts = inspectInput(path);
            return facts ? std::string() : facts.error().message;
        };
        const std::string root = dir_.filePath("unfit").toStdString();
        fs::create_directories(root + "/inner");
        QVERIFY(refused(root).find("without a file") != std::string::npos);
        writeFile(root + "/file", "x");
        fs::create_symlink("nowhere", root + "/inner/dangling");
        QVERIFY(
            refused(root).find("dangling: a symbolic link to nowhere, which is not there; remove the link or "
                               "choose another folder") != std::string::npos);
        fs::remove(root + "/inner/dangling");
        fs::create_symlink("circle", root + "/inner/circle");
        QVERIFY(refused(root).find("remove the link or choose another folder") != std::string::npos);
        fs::remove(root + "/inner/circle");
        fs::create_directory_symlink("..", root + "/inner/loop");
        QVERIFY2(refused(root).find("back to a folder") != std::string::npos, refused(root).c_str());
        fs::remove(root + "/inner/loop");
        fs::create_symlink("../file", root + "/inner/link");
        const auto linked = inspectInput(root);
        QVERIFY(linked.has_value());
        QCOMPARE(linked->members.size(), std::size_t{2});
        QVERIFY(refused("/proc/self").find("made by the kernel") != std::string::npos);

        for (const char* workload : {"zstd", "ticks", "touch"}) {
            const auto request = requestFor(root, "read", workload);
            QVERIFY(!request.has_value());
            QVERIFY2(request.error().message.find("works on one file") != std::string::npos,
                     request.error().message.c_str());
        }
        const auto inside = requestFor(root, "read", "pieces", 1, {}, "torrent=" + root + "/inner/x.torrent");
        QVERIFY(!inside.has_value());
        QVERIFY(inside.error().message.find("would change it") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestFolder)
#include "tst_folder.moc"
