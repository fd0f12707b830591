// Every source over every workload and size, with one and two threads: the same outcome, the same class of
// error, or unavailable with its reason. The registries drive it, so a new source or workload is covered
// without a change here.
#include <QTemporaryDir>
#include <QTest>
#include <chrono>
#include <map>

#include "differential.h"
#include "support/pool_guard.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

constexpr std::uint64_t kMiB = 1U << 20U;
constexpr std::uint64_t kSizes[] = {0, 1, 4095, 4096, 4097, 65537, 16 * kMiB - 1, 16 * kMiB + 1, 100 * kMiB};
/// Up to here every workload also gets the other workloads' inputs, to compare errors.
constexpr std::uint64_t kSmall = 65537;

}  // namespace

class TestDifferential : public QObject {
    Q_OBJECT
    QTemporaryDir dir_;
    std::optional<PoolGuard> pool_;
    Inputs input_{dir_.path().toStdString()};
    std::map<std::string, int> counts_;
    std::map<std::string, std::chrono::nanoseconds> times_;

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
            const Kind own = inputFor(*workload, input_);
            // A general CSV library is some ten times slower than all others, and no strategy hides in that.
            const std::uint64_t most =
                workload->id == "csv-library" ? 16 * kMiB - 1 : kSizes[std::size(kSizes) - 1];
            for (const std::uint64_t size : kSizes) {
                if (size > most) {
                    continue;
                }
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
        const std::string& path = input_(static_cast<Kind>(kind), size);
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
                const bool agrees = agree(v, reference) && v.outcome == sameThreads.outcome;
                if (!agrees && !v.refused()) {
                    differences += fmt::format("\n{} with {}: {}", source->id, threads, describe(v));
                }
                ++counts_[std::string(name(v.status))];
                if (v.refused() && size == kSizes[std::size(kSizes) - 1]) {
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
