// Every source over every workload and size, with one and two threads: the same outcome, the same class of
// error, or unavailable with its reason. The registries drive it, so a new source or workload is covered
// without a change here.
#include <zstd.h>

#include <QTemporaryDir>
#include <QTest>
#include <chrono>
#include <map>

#include "run/execute.h"
#include "run/record_json.h"
#include "run_support.h"
#include "support/pool_guard.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

constexpr std::uint64_t kMiB = 1U << 20U;
constexpr std::uint64_t kSizes[] = {0, 1, 4095, 4096, 4097, 65537, 16 * kMiB - 1, 16 * kMiB + 1, 100 * kMiB};
/// Up to here every workload also gets the other workloads' inputs, to compare errors.
constexpr std::uint64_t kSmall = 65537;

enum class Kind { bytes, ticks, zstd };
constexpr Kind kKinds[] = {Kind::bytes, Kind::ticks, Kind::zstd};

const char* name(Kind kind) {
    return kind == Kind::bytes ? "bytes" : kind == Kind::ticks ? "ticks" : "zstd";
}

/// 4 KiB of noise and 4 KiB of 0xAB in turn.
std::string makeBytes(std::uint64_t size) {
    static const std::string noise = randomBytes(kMiB);
    std::string bytes;
    bytes.reserve(size + 8192);
    for (std::size_t at = 0; bytes.size() < size; at += 4096) {
        bytes.append(noise, at % kMiB, 4096);
        bytes.append(4096, '\xAB');
    }
    bytes.resize(size);
    return bytes;
}

/// Cut wherever the size says: the last row may be half a row, which must be the same half for all.
std::string makeTicks(std::uint64_t size) {
    std::string text;
    text.reserve(size + 64);
    for (std::uint64_t row = 0; text.size() < size; ++row) {
        text += fmt::format("{},{}.{:02},0.{:05},{}\n", 1700000000000U + row * 3, 40000 + row % 977,
                            row % 100, row * 7919 % 100000, row % 2 == 0 ? 'B' : 'S');
    }
    text.resize(size);
    return text;
}

/// Two frames with their sizes, so that it can be split; `size` is that of the content.
std::string makeZstd(std::uint64_t size) {
    const std::string content = makeBytes(size);
    std::string file;
    for (const std::string_view half :
         {std::string_view(content).substr(0, size / 2), std::string_view(content).substr(size / 2)}) {
        std::string frame(ZSTD_compressBound(half.size()), '\0');
        frame.resize(ZSTD_compress(frame.data(), frame.size(), half.data(), half.size(), 1));
        file += frame;
    }
    return file;
}

std::string makeInput(Kind kind, std::uint64_t size) {
    return kind == Kind::bytes ? makeBytes(size) : kind == Kind::ticks ? makeTicks(size) : makeZstd(size);
}

/// What a run came to, as far as strategies must agree on it.
struct Verdict {
    RunStatus status = RunStatus::failed;
    std::optional<ErrorKind> kind;
    Json outcome;
    std::string reason;
};

Verdict runOne(const std::string& path, const SourceType& source, const WorkloadType& workload,
               unsigned threads) {
    auto request = requestFor(path, std::string(source.id), std::string(workload.id), threads);
    if (!request) {
        const bool unavailable = request.error().kind == ErrorKind::unavailable;
        return {unavailable ? RunStatus::unavailable : RunStatus::failed,
                request.error().kind,
                {},
                request.error().message};
    }
    request->phase = Phase::inspection;  // with the digests
    request->sampling = false;
    const RunRecord r = executeRun(*request, nullptr, {});
    return {r.status, r.errorKind, r.outcome ? outcomeToJson(*r.outcome) : Json(), r.error};
}

/// Key by key over the keys both have, as a study compares: a digest of the whole needs one thread.
bool outcomesAgree(const Json& a, const Json& b) {
    bool common = a.is_null() && b.is_null();
    for (const auto& item : a.items()) {
        if (b.contains(item.key())) {
            common = true;
            if (b[item.key()] != item.value()) {
                return false;
            }
        }
    }
    return common;
}

std::string describe(const Verdict& v) {
    return v.status == RunStatus::ok ? dumpJson(v.outcome)
                                     : fmt::format("{} ({}): {}", name(v.status),
                                                   v.kind ? name(*v.kind) : std::string_view("?"), v.reason);
}

}  // namespace

class TestDifferential : public QObject {
    Q_OBJECT
    QTemporaryDir dir_;
    std::optional<PoolGuard> pool_;
    std::map<std::pair<Kind, std::uint64_t>, std::string> inputs_;
    std::map<std::string, int> counts_;
    std::map<std::string, std::chrono::nanoseconds> times_;

    const std::string& input(Kind kind, std::uint64_t size) {
        std::string& path = inputs_[{kind, size}];
        if (path.empty()) {
            path = dir_.filePath(QString("%1-%2").arg(name(kind)).arg(size)).toStdString();
            writeFile(path, makeInput(kind, size));
        }
        return path;
    }

    /// The input a workload is made for: the one it is suggested for, else the first it can work on.
    Kind inputFor(const WorkloadType& workload) {
        for (const Kind kind : kKinds) {
            const auto facts = inspectFile(input(kind, 65537));
            if (facts && suggestWorkload(*facts).id == workload.id) {
                return kind;
            }
        }
        for (const Kind kind : kKinds) {
            if (runOne(input(kind, 65537), *allSources().front(), workload, 1).status == RunStatus::ok) {
                return kind;
            }
        }
        return Kind::bytes;
    }

  private slots:
    void initTestCase() {
        QVERIFY(dir_.isValid());
        pool_.emplace(64);  // 100 MiB and a scratch each
        if (!pool_->ready()) {
            qWarning("huge pages: %s; their arms will only be unavailable", pool_->why().c_str());
        }
    }

    void allAgree_data() {
        QTest::addColumn<QString>("workload");
        QTest::addColumn<int>("kind");
        QTest::addColumn<quint64>("size");
        for (const WorkloadType* workload : allWorkloads()) {
            const Kind own = inputFor(*workload);
            for (const std::uint64_t size : kSizes) {
                for (const Kind kind : kKinds) {
                    if (kind == own || size <= kSmall) {
                        QTest::addRow("%s over %llu of %s", workload->id.data(),
                                      static_cast<unsigned long long>(size), name(kind))
                            << QString::fromUtf8(workload->id.data(), static_cast<int>(workload->id.size()))
                            << static_cast<int>(kind) << static_cast<quint64>(size);
                    }
                }
            }
        }
    }

    void allAgree() {
        QFETCH(QString, workload);
        QFETCH(int, kind);
        QFETCH(quint64, size);
        const WorkloadType& type = *findWorkload(workload.toStdString());
        const std::string& path = input(static_cast<Kind>(kind), size);
        const Verdict reference = runOne(path, *allSources().front(), type, 1);
        QVERIFY2(reference.status == RunStatus::ok || reference.status == RunStatus::failed,
                 describe(reference).c_str());
        std::string differences;
        for (const unsigned threads : {1U, 2U}) {
            const Verdict sameThreads = runOne(path, *allSources().front(), type, threads);
            for (const SourceType* source : allSources()) {
                const auto start = std::chrono::steady_clock::now();
                const Verdict v = runOne(path, *source, type, threads);
                times_[std::string(source->id)] += std::chrono::steady_clock::now() - start;
                const bool agrees = v.status == reference.status && v.kind == reference.kind &&
                                    outcomesAgree(v.outcome, reference.outcome) &&
                                    v.outcome == sameThreads.outcome;
                const bool refused = v.status == RunStatus::unavailable && !v.reason.empty();
                if (!agrees && !refused) {
                    differences += fmt::format("\n{} with {}: {}", source->id, threads, describe(v));
                }
                ++counts_[std::string(name(v.status))];
                if (refused && size == kSizes[std::size(kSizes) - 1]) {
                    ++counts_[fmt::format("  {}: {}", source->id, v.reason.substr(0, 100))];
                }
            }
        }
        QVERIFY2(differences.empty(),
                 fmt::format("reference: {}{}", describe(reference), differences).c_str());
    }

    void cleanupTestCase() {
        pool_.reset();
        for (const auto& [what, count] : counts_) {
            qInfo("%5d %s", count, what.c_str());
        }
        for (const auto& [source, time] : times_) {
            qInfo("%6.2f s %s", std::chrono::duration<double>(time).count(), source.c_str());
        }
        QVERIFY2(counts_["ok"] > 0, "nothing ran");
    }
};

QTEST_GUILESS_MAIN(TestDifferential)
#include "tst_differential.moc"
