// Every engine and other choice of a workload over every source, and every parameter of a source under every
// workload, with one to three threads: the same outcome, the same class of error, or unavailable with its
// reason.
#include <QTemporaryDir>
#include <QTest>

#include "differential.h"
#include "support/pool_guard.h"
#include "support/variants.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

constexpr std::uint64_t kSizes[] = {4097, (5U << 20U) + 1};

bool isOfTicks(const std::string& choice) {
    const auto& specs = findWorkload("ticks")->parameters;
    return std::any_of(specs.begin(), specs.end(), [&](const ParameterSpec& spec) {
        return choice.starts_with(std::string(spec.name) + "=");
    });
}

QString text(std::string_view s) {
    return QString::fromUtf8(s.data(), static_cast<int>(s.size()));
}

}  // namespace

class TestDifferentialParameters : public QObject {
    Q_OBJECT
    QTemporaryDir dir_;
    std::optional<PoolGuard> pool_;
    Inputs input_{dir_.path().toStdString()};
    std::map<std::string, int> counts_;

    void count(const SourceType& source, const Verdict& v) {
        ++counts_[std::string(name(v.status))];
        if (v.refused()) {
            ++counts_[fmt::format("  {}: {}", source.id, v.reason.substr(0, 90))];
        }
    }

  private slots:
    void initTestCase() {
        QVERIFY(dir_.isValid());
        pool_.emplace(24);
        if (!pool_->ready()) {
            qWarning("huge pages: %s; their arms will only be unavailable", pool_->why().c_str());
        }
    }

    void choicesOfWorkloads_data() {
        QTest::addColumn<QString>("workload");
        QTest::addColumn<QString>("choice");
        QTest::addColumn<int>("kind");
        QTest::addColumn<quint64>("size");
        for (const WorkloadType* workload : allWorkloads()) {
            const Kind own = inputFor(*workload, input_);
            for (auto choice : choicesOf(workload->parameters)) {
                // What zstd has in common with the parser it takes only together with it.
                if (own == Kind::zstd && isOfTicks(choice)) {
                    choice = "then=ticks," + choice;
                }
                const Kind kind = choice.starts_with("then=ticks") ? Kind::zstdOfTicks : own;
                for (const std::uint64_t size : kSizes) {
                    QTest::addRow("%s:%s over %llu of %s", workload->id.data(), choice.c_str(),
                                  static_cast<unsigned long long>(size), name(kind))
                        << text(workload->id) << QString::fromStdString(choice) << static_cast<int>(kind)
                        << static_cast<quint64>(size);
                }
            }
        }
    }

    void choicesOfWorkloads() {
        QFETCH(QString, workload);
        QFETCH(QString, choice);
        QFETCH(int, kind);
        QFETCH(quint64, size);
        const WorkloadType& type = *findWorkload(workload.toStdString());
        const std::string& path = input_(static_cast<Kind>(kind), size);
        const std::string chosen = choice.toStdString();
        const SourceType& first = *allSources().front();
        const Verdict reference = runOne(path, first, type, 1, chosen);
        if (reference.refused()) {
            QSKIP(reference.reason.c_str());
        }
        QVERIFY2(reference.status == RunStatus::ok, describe(reference).c_str());
        std::string differences;
        // An engine is another way to the same outcome; other choices may ask for another one.
        if (const Verdict usual = runOne(path, first, type, 1);
            chosen.starts_with("engine=") && usual.outcome != reference.outcome) {
            differences += fmt::format("\nwithout the choice: {}", describe(usual));
        }
        for (const unsigned threads : {1U, 2U, 3U}) {
            const Verdict sameThreads = runOne(path, first, type, threads, chosen);
            for (const SourceType* source : allSources()) {
                const Verdict v = runOne(path, *source, type, threads, chosen);
                count(*source, v);
                if (!(agree(v, reference) && v.outcome == sameThreads.outcome) && !v.refused()) {
                    differences += fmt::format("\n{} with {}: {}", source->id, threads, describe(v));
                }
            }
        }
        QVERIFY2(differences.empty(),
                 fmt::format("reference: {}{}", describe(reference), differences).c_str());
    }

    void enginesAreKnown() {
        for (const auto& [id, engines] : {std::pair("zstd", std::vector{"stream", "oneshot"}),
                                          std::pair("pieces", std::vector{"evp", "multi"})}) {
            const auto choices = choicesOf(findWorkload(id)->parameters);
            for (const std::string engine : engines) {
                const auto parsed = parseParameters(findWorkload(id)->parameters, "engine=" + engine);
                QVERIFY2(parsed, engine.c_str());
                QVERIFY(std::count(choices.begin(), choices.end(), "engine=" + engine) == 1 ||
                        textOf(*parseParameters(findWorkload(id)->parameters, ""), "engine") == engine);
            }
        }
    }

    void parametersOfSources_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("parameters");
        for (const SourceType* source : allSources()) {
            for (const auto& variant : variantsOf(source->parameters)) {
                QTest::addRow("%s:%s", source->id.data(), variant.c_str())
                    << text(source->id) << QString::fromStdString(variant);
            }
        }
    }

    void parametersOfSources() {
        QFETCH(QString, source);
        QFETCH(QString, parameters);
        const SourceType& type = *findSource(source.toStdString());
        std::string differences, refusal;
        int agreed = 0;
        for (const WorkloadType* workload : allWorkloads()) {
            const std::string& path = input_(inputFor(*workload, input_), (1U << 20U) + 4097);
            for (const unsigned threads : {1U, 3U}) {
                const Verdict reference = runOne(path, *allSources().front(), *workload, threads);
                const Verdict v = runOne(path, type, *workload, threads, {}, parameters.toStdString());
                count(type, v);
                if (v.refused() && !reference.refused()) {
                    refusal = v.reason;
                } else if (v.status == reference.status && v.outcome == reference.outcome) {
                    ++agreed;
                } else {
                    differences += fmt::format("\n{} with {}: {}, not {}", workload->id, threads, describe(v),
                                               describe(reference));
                }
            }
        }
        QVERIFY2(differences.empty(), differences.c_str());
        if (agreed == 0) {
            QSKIP(refusal.c_str());
        }
    }

    void cleanupTestCase() {
        pool_.reset();
        for (const auto& [what, number] : counts_) {
            qInfo("%5d %s", number, what.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestDifferentialParameters)
#include "tst_differential_parameters.moc"
