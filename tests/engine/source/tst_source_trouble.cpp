// Files that shrink under a run, and runs that are cancelled in the middle: an error in words, nothing left
// behind.
#include <unistd.h>

#include <QtTest>

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>

#include "engine/source/source_run.h"
#include "support/pool_guard.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

constexpr Bytes kWhole = mib(18);
constexpr Bytes kCut = mib(1) + Bytes(100);

std::vector<Range> inParts(unsigned parts) {
    std::vector<Range> ranges;
    for (unsigned i = 0; i < parts; ++i) {
        ranges.push_back({kWhole * i / parts, kWhole * (i + 1) / parts});
    }
    return ranges;
}

std::size_t openDescriptors() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        ++count;
    }
    return count;
}

std::uint64_t sumOf(std::span<const std::byte> bytes) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < bytes.size(); i += 512) {
        sum += static_cast<std::uint64_t>(static_cast<const volatile std::byte&>(bytes[i]));
    }
    return sum;
}

}  // namespace

class TestSourceTrouble : public QObject {
    Q_OBJECT
    QTemporaryDir dir_;
    QTemporaryDir memoryDir_{"/dev/shm/mmapscope-XXXXXX"};
    std::string path_;
    std::unique_ptr<PoolGuard> pool_;
    std::vector<std::byte> bytes_;
    struct Trial {
        int dir = 0;         // 0: dir_; 1: memoryDir_; 2: refused in both
        bool tried = false;  // and it worked in that directory
        std::string refusal;
    };
    std::map<std::pair<std::string_view, QString>, Trial> trials_;

    void eachVariant() {
        QTest::addColumn<int>("source");
        QTest::addColumn<QString>("parameters");
        QTest::addColumn<unsigned>("threads");
        for (int i = 0; i < static_cast<int>(allSources().size()); ++i) {
            const SourceType& type = *allSources()[static_cast<std::size_t>(i)];
            for (const auto& variant : variantsOf(type.parameters)) {
                for (const unsigned threads : {1U, 2U}) {
                    QTest::addRow("%s:%s x%u", type.id.data(), variant.c_str(), threads)
                        << i << QString::fromStdString(variant) << threads;
                }
            }
        }
    }

    // Why this machine doesn't run the source; what only trying can tell is tried, on tmpfs where the usual
    // filesystem refuses.
    [[nodiscard]] std::string refusalOf(const SourceType& type, const QString& parameters) {
        if (type.traits.usesHugePages && !pool_->ready()) {
            return pool_->why();
        }
        const auto place = [&](const QTemporaryDir& dir) {
            path_ = dir.filePath("data file.bin").toStdString();
            writeFile(path_, bytes_);
        };
        auto& known = trials_[{type.id, parameters}];
        for (; known.dir < 2; ++known.dir) {
            place(known.dir == 0 ? dir_ : memoryDir_);
            if (known.tried) {
                return {};
            }
            const Delivered result = deliver({&type, parameters.toStdString(), path_, kWhole, inParts(1)});
            if (result.status || result.status.error().kind != ErrorKind::unavailable) {
                known.tried = true;
                return {};
            }
            known.refusal = result.status.error().message;
        }
        return known.refusal;
    }

    // The same source once more, over the file as it is now.
    void nextRunIsFine(SourceRun run) {
        run.fileBytes = Bytes(std::filesystem::file_size(path_));
        run.ranges = {{Bytes(0), run.fileBytes}};
        run.expected = bytes_;
        run.onSpan = {};
        const Delivered again = deliver(run);
        QVERIFY2(again.status.has_value(), again.status ? "" : again.status.error().message.c_str());
        QVERIFY(again.equal);
        QCOMPARE(again.bytes, run.fileBytes.count());
    }

  private slots:
    void initTestCase() {
        bytes_ = patternBytes(kWhole.size());
        pool_ = std::make_unique<PoolGuard>(32);
    }
    void cleanupTestCase() { pool_.reset(); }
    void cleanup() {
        for (const QTemporaryDir* dir : {&dir_, &memoryDir_}) {
            QFile::remove(dir->filePath("data file.bin"));
        }
    }

    void fileShrinks_data() { eachVariant(); }
    void fileShrinks() {
        QFETCH(const int, source);
        QFETCH(const QString, parameters);
        QFETCH(const unsigned, threads);
        const SourceType& type = *allSources()[static_cast<std::size_t>(source)];
        if (const std::string refusal = refusalOf(type, parameters); !refusal.empty()) {
            QSKIP(refusal.c_str());
        }
        const std::size_t descriptors = openDescriptors();
        std::atomic<bool> cut{false};
        SourceRun run{&type, parameters.toStdString(), path_, kWhole, inParts(threads)};
        run.onSpan = [&](std::size_t, std::span<const std::byte> span) {
            if (!cut.exchange(true)) {
                QVERIFY(::truncate(path_.c_str(), static_cast<off_t>(kCut.count())) == 0);
            }
            (void)sumOf(span);
        };
        const Delivered result = deliver(run);
        if (type.traits.holdsWhole) {
            // It was in memory already: the run's own look at the file tells that it changed.
            QVERIFY(result.status.has_value());
        } else {
            QVERIFY(!result.status.has_value());
            QCOMPARE(result.status.error().kind, ErrorKind::changed);
            const auto& text = result.status.error().message;
            QVERIFY2(text.find("data file.bin ended at ") != std::string::npos, text.c_str());
            QVERIFY2(text.find(" of 18874368 bytes: it shrank while it was read") != std::string::npos,
                     text.c_str());
        }
        QCOMPARE(result.liveMappings, std::size_t{0});
        QCOMPARE(openDescriptors(), descriptors);
        nextRunIsFine(run);
    }

    void fileIsAlreadyShorter_data() { eachVariant(); }
    void fileIsAlreadyShorter() {
        QFETCH(const int, source);
        QFETCH(const QString, parameters);
        QFETCH(const unsigned, threads);
        const SourceType& type = *allSources()[static_cast<std::size_t>(source)];
        if (const std::string refusal = refusalOf(type, parameters); !refusal.empty()) {
            QSKIP(refusal.c_str());
        }
        QVERIFY(::truncate(path_.c_str(), static_cast<off_t>(kCut.count())) == 0);
        SourceRun run{&type, parameters.toStdString(), path_, kWhole, inParts(threads)};
        run.onSpan = [&](std::size_t, std::span<const std::byte> span) { (void)sumOf(span); };
        const Delivered result = deliver(run);
        QVERIFY(!result.status.has_value());
        QCOMPARE(result.status.error().kind, ErrorKind::changed);
        QCOMPARE(result.liveMappings, std::size_t{0});
        nextRunIsFine(run);
    }

    void cancelledInTheMiddle_data() { eachVariant(); }
    void cancelledInTheMiddle() {
        QFETCH(const int, source);
        QFETCH(const QString, parameters);
        QFETCH(const unsigned, threads);
        const SourceType& type = *allSources()[static_cast<std::size_t>(source)];
        if (const std::string refusal = refusalOf(type, parameters); !refusal.empty()) {
            QSKIP(refusal.c_str());
        }
        const std::size_t descriptors = openDescriptors();
        const auto before = poolOf(kHugePage);
        std::stop_source stop;
        std::atomic<std::uint64_t> afterStop{0};
        SourceRun run{&type, parameters.toStdString(), path_, kWhole, inParts(threads)};
        run.onSpan = [&](std::size_t, std::span<const std::byte> span) {
            if (stop.stop_requested()) {
                afterStop += span.size();
            }
            stop.request_stop();
        };
        const Delivered result = deliver(run, stop.get_token());
        // A range may be delivered by its one span before anyone looks again.
        if (threads == 1) {
            QVERIFY(!result.status.has_value());
        }
        if (!result.status) {
            QCOMPARE(result.status.error().kind, ErrorKind::cancelled);
        }
        QVERIFY(afterStop.load() <= threads * kMaxSpan.count());
        QCOMPARE(result.liveMappings, std::size_t{0});
        QCOMPARE(openDescriptors(), descriptors);
        if (before) {
            QCOMPARE(poolOf(kHugePage)->free, before->free);
            QCOMPARE(poolOf(kHugePage)->reserved, before->reserved);
        }
        nextRunIsFine(run);
    }

    void cancelledBeforeItStarts_data() { eachVariant(); }
    void cancelledBeforeItStarts() {
        QFETCH(const int, source);
        QFETCH(const QString, parameters);
        QFETCH(const unsigned, threads);
        const SourceType& type = *allSources()[static_cast<std::size_t>(source)];
        if (const std::string refusal = refusalOf(type, parameters); !refusal.empty()) {
            QSKIP(refusal.c_str());
        }
        std::stop_source stop;
        stop.request_stop();
        const Delivered result =
            deliver({&type, parameters.toStdString(), path_, kWhole, inParts(threads)}, stop.get_token());
        QVERIFY(!result.status.has_value());
        QCOMPARE(result.status.error().kind, ErrorKind::cancelled);
        QCOMPARE(result.bytes, std::uint64_t{0});
        QCOMPARE(result.liveMappings, std::size_t{0});
    }
};

QTEST_GUILESS_MAIN(TestSourceTrouble)
#include "tst_source_trouble.moc"
