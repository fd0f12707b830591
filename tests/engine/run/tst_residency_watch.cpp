#include <QTemporaryDir>
#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>

#include "core/unique_fd.h"
#include "probe/residency.h"
#include "run/cache_state.h"
#include "run/execute.h"
#include "run/residency_watch.h"
#include "run_support.h"

using namespace mmapscope;
using namespace mmapscope::test;
using namespace std::chrono_literals;

namespace {

double shareOf(const ResidencyHistory::Look& look) {
    return std::accumulate(look.cells.begin(), look.cells.end(), 0.0) / (255.0 * double(look.cells.size()));
}

std::chrono::steady_clock::rep now() {
    return std::chrono::steady_clock::now().time_since_epoch().count();
}

}  // namespace

class TestResidencyWatch : public QObject {
    Q_OBJECT

  private:
    QTemporaryDir directory_;
    std::string path_;
    FileFacts file_;

    [[nodiscard]] std::string at(const std::string& name) const {
        return directory_.path().toStdString() + "/" + name;
    }
    void evictFile() const {
        const auto facts =
            prepareCache(file_, {Bytes(0), file_.bytes}, CacheState::cold, true, std::stop_token());
        if (!facts || !facts->reached) {
            QSKIP(facts ? facts->reason.c_str() : facts.error().message.c_str());
        }
    }

  private slots:
    void initTestCase() {
        path_ = writeFile(at("file"), randomBytes(32U << 20U));
        file_ = *inspectFile(path_);
    }

    void inspectionRunOfAColdFile_data() {
        QTest::addColumn<QString>("source");
        for (const char* source : {"read", "mmap", "mmap-populate"}) {
            QTest::newRow(source) << source;
        }
    }
    void inspectionRunOfAColdFile() {
        QFETCH(QString, source);
        evictFile();
        RunRequest request = mustRequest(path_, source.toStdString(), "scan");
        request.phase = Phase::inspection;
        const RunRecord run = executeRun(request, nullptr, std::stop_token());
        QVERIFY2(run.status == RunStatus::ok, run.error.c_str());
        QVERIFY(run.residency.has_value());
        QCOMPARE(run.residency->reason, std::string());
        const auto& looks = run.residency->looks;
        QVERIFY(looks.size() >= 2);
        QCOMPARE(run.residency->fileBytes, file_.bytes);
        QVERIFY2(shareOf(looks.front()) <= 0.01, std::to_string(shareOf(looks.front())).c_str());
        QCOMPARE(shareOf(looks.back()), 1.0);
        QVERIFY(looks.front().tNs < 0);
        QVERIFY(looks.back().tNs >= run.wall.count());
        QVERIFY(std::none_of(looks.begin(), looks.end(), [](const auto& look) { return look.sampled; }));
    }
    void measuredRunsAreNotLookedAt() {
        const RunRecord run = executeRun(mustRequest(path_, "read", "scan"), nullptr, std::stop_token());
        QVERIFY2(run.status == RunStatus::ok, run.error.c_str());
        QVERIFY(!run.residency.has_value());
    }

    void looksWhileTheFileIsRead() {
        evictFile();
        ResidencyWatch watch(mustRequest(path_, "read", "scan"));
        const auto zero = now();
        watch.start();
        const UniqueFd fd(::open(path_.c_str(), O_RDONLY));
        ::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_RANDOM);
        std::string piece(4U << 20U, '\0');
        for (int i = 0; i < 8; ++i) {
            QCOMPARE(::pread(fd.get(), piece.data(), piece.size(), off_t(i) * off_t(piece.size())),
                     ssize_t(piece.size()));
            std::this_thread::sleep_for(120ms);
        }
        const ResidencyHistory history = watch.stop(zero);
        const auto& looks = history.looks;
        QVERIFY(looks.size() >= 4);  // two of them during the run
        for (std::size_t i = 1; i < looks.size(); ++i) {
            QVERIFY(shareOf(looks[i]) >= shareOf(looks[i - 1]));
            QVERIFY(looks[i].tNs > looks[i - 1].tNs);
            if (i + 1 < looks.size() && i > 1) {
                QVERIFY(looks[i].tNs - looks[i - 1].tNs >=
                        std::chrono::nanoseconds(kResidencyPeriod).count());
            }
        }
        // In the midst of it some of the file was there, from its begin on, and some wasn't.
        const auto part = std::find_if(looks.begin(), looks.end(), [](const auto& look) {
            return shareOf(look) > 0.05 && shareOf(look) < 0.95;
        });
        QVERIFY(part != looks.end());
        QCOMPARE(part->cells.front(), std::uint8_t{255});
        QCOMPARE(part->cells.back(), std::uint8_t{0});
    }
    void longRunsKeepFewLooks() {
        ResidencyWatch watch(mustRequest(path_, "read", "scan"));
        const auto zero = now();
        watch.start();
        std::this_thread::sleep_for(4s);
        const ResidencyHistory history = watch.stop(zero);
        QVERIFY(history.looks.size() >= 4);
        QVERIFY(history.looks.size() <= 65);
        QVERIFY(history.looks.front().tNs < 0);
        QVERIFY(history.looks.back().tNs >= std::chrono::nanoseconds(4s).count());
        // Spread over the whole run still.
        const auto middle = history.looks[history.looks.size() / 2].tNs;
        QVERIFY(middle > std::chrono::nanoseconds(1s).count());
        QVERIFY(middle < std::chrono::nanoseconds(3500ms).count());
    }
    void vastFilesAreSampled() {
        writeFile(at("vast"), "begin");
        if (::truncate(at("vast").c_str(), off_t{64} << 30U) != 0) {
            QSKIP("no sparse file of 64 GiB on this filesystem");
        }
        RunRequest request = mustRequest(path_, "read", "scan");
        request.path = at("vast");
        ResidencyWatch watch(request);
        const ResidencyHistory history = watch.stop(now());
        QCOMPARE(history.looks.size(), std::size_t{2});
        QVERIFY(history.looks[0].sampled && history.looks[1].sampled);
        QCOMPARE(history.fileBytes, gib(64));
        QVERIFY(shareOf(history.looks[0]) < 0.01);
    }
    void whatCantBeLookedAtSaysWhy() {
        RunRequest gone = mustRequest(path_, "read", "scan");
        gone.path = at("gone");
        ResidencyWatch nothing(gone);
        nothing.start();
        const ResidencyHistory none = nothing.stop(now());
        QVERIFY(none.looks.empty());
        QVERIFY(none.reason.find("gone") != std::string::npos);

        std::filesystem::create_directory(at("folder"));
        writeFile(at("folder/one"), "1");
        ResidencyWatch folder(mustRequest(at("folder"), "read", "scan"));
        folder.start();
        QVERIFY(folder.stop(now()).reason.find("folder") != std::string::npos);

        // Gone in the midst of the run: no look after it, so none at all.
        writeFile(at("passing"), "12345678");
        ResidencyWatch passing(mustRequest(at("passing"), "read", "scan"));
        passing.start();
        std::filesystem::remove(at("passing"));
        const ResidencyHistory left = passing.stop(now());
        QVERIFY(left.looks.empty() && !left.reason.empty());

        writeFile(at("empty"), "");
        RunRequest empty = mustRequest(path_, "read", "scan");
        empty.path = at("empty");
        ResidencyWatch nothingToCache(empty);
        const ResidencyHistory both = nothingToCache.stop(now());
        QCOMPARE(both.looks.size(), std::size_t{2});
        QVERIFY(both.looks[0].cells.empty());
    }
};

QTEST_GUILESS_MAIN(TestResidencyWatch)
#include "tst_residency_watch.moc"
