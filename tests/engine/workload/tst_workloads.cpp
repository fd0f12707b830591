// What holds for every workload there is, driven by the registry: a new one is covered without touching this.
#include "engine/workload/zstd_testing.h"

using namespace mmapscope;
using namespace mmapscope::testing;

namespace {

QByteArray tickRows(int count) {
    std::mt19937 random(1);
    QByteArray text = "time,price,size\n";
    for (int i = 0; i < count; ++i) {
        text += QByteArray::number(1'719'792'000'000 + i * 7) + "," +
                QByteArray::number(60'000 + random() % 9000) + "." + QByteArray::number(10 + random() % 90) +
                ",0." + QByteArray::number(100 + random() % 900) + "\n";
    }
    return text;
}

/// Something the workload can work on: rows for those that read text, frames for zstd.
QByteArray inputFor(const WorkloadType& type) {
    const QByteArray rows = tickRows(9000);
    return type.id == "zstd"
               ? zstdFrame(rows) + skippableFrame(33) + zstdFrame(mixedBytes(200'000, 2)) + zstdFrame(rows)
               : rows;
}

}  // namespace

class WorkloadsTest : public QObject {
    Q_OBJECT

  private slots:
    void outcomeIsTheSameWhateverTheSpansAndThreads_data() {
        QTest::addColumn<QString>("id");
        for (const WorkloadType* type : allWorkloads()) {
            QTest::addRow("%s", std::string(type->id).c_str())
                << QString::fromStdString(std::string(type->id));
        }
    }
    void outcomeIsTheSameWhateverTheSpansAndThreads() {
        QFETCH(QString, id);
        const WorkloadType* type = findWorkload(id.toStdString());
        QVERIFY(type != nullptr);
        const TestFile file(inputFor(*type));
        const auto whole = runWorkload(*type, file, {});
        QVERIFY2(whole.has_value(), textOf(whole).c_str());
        QVERIFY(!whole->fields.empty());
        for (const unsigned threads : {1U, 2U, 3U, 5U}) {
            for (const std::size_t span : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{63},
                                           std::size_t{4096}, std::size_t{65'537}, SIZE_MAX}) {
                const auto result = runWorkload(*type, file, {.span = span, .threads = threads});
                if (!result && result.error().kind == ErrorKind::unavailable && threads > 1) {
                    QVERIFY(!result.error().message.empty());
                    continue;
                }
                QVERIFY2(result.has_value(), textOf(result).c_str());
                QVERIFY2(*result == *whole, (textOf(result) + " instead of " + textOf(whole)).c_str());
            }
        }
    }

    void idsAndParametersAreWellFormed() {
        QStringList ids;
        for (const WorkloadType* type : allWorkloads()) {
            ids << QString::fromStdString(std::string(type->id));
            QCOMPARE(findWorkload(type->id), type);
            QVERIFY(!type->summary.empty());
            QVERIFY(parseParameters(type->parameters, "").has_value());
            for (const ParameterSpec& spec : type->parameters) {
                QVERIFY(!spec.help.empty());
            }
            QCOMPARE(type->producesOutput, type->id == "zstd");
        }
        QCOMPARE(ids.removeDuplicates(), 0);
        QVERIFY(findWorkload("no such") == nullptr);
    }

    void fieldsAreFoundAndCompared() {
        const Outcome a{{{"n", std::uint64_t{1}}, {"sums", Outcome{{{"price", std::string("1.5")}}}}}};
        Outcome b = a;
        QVERIFY(a == b);
        QCOMPARE(std::get<std::uint64_t>(a.find("n")->data), 1U);
        QVERIFY(a.find("m") == nullptr);
        std::get<Outcome>(b.fields[1].second.data).fields[0].second = std::string("1.6");
        QVERIFY(!(a == b));
    }
};

QTEST_GUILESS_MAIN(WorkloadsTest)
#include "tst_workloads.moc"
