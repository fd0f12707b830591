// Every source of the registry, with every parameter, delivers exactly the file's bytes or says why it can't.
#include <QtTest>

#include <memory>

#include "engine/source/source_run.h"
#include "support/pool_guard.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

constexpr std::size_t kSizes[] = {0, 1, 4095, 4096, 4097, 65537, (16U << 20U) - 1, (16U << 20U) + 1};

// Ways of sharing out [begin, end): cut at thirds that fall on no border, with empty parts first and between.
std::vector<std::vector<Range>> splits(Bytes size) {
    const Range whole{Bytes(0), size};
    std::vector<std::vector<Range>> all = {{whole}};
    if (size < Bytes(2)) {
        return all;
    }
    const Bytes third(size.count() / 3 + 1);
    const Bytes two = std::min(size, third * 2 + Bytes(1));
    all.push_back({{Bytes(0), third}, {third, size}});
    all.push_back({{Bytes(0), third}, {third, two}, {two, size}});
    all.push_back({{Bytes(0), Bytes(0)}, {Bytes(0), third}, {third, third}, {third, size}});
    all.push_back({{Bytes(1), size - Bytes(1)}});
    if (size > Bytes(40000)) {
        all.push_back({{Bytes(13), third}, {third, size - Bytes(20001)}});
    }
    return all;
}

}  // namespace

class TestSourceBytes : public QObject {
    Q_OBJECT
    QTemporaryDir dir_;
    QTemporaryDir memoryDir_{"/dev/shm/mmapscope-XXXXXX"};  // tmpfs
    std::unique_ptr<PoolGuard> pool_;
    std::vector<std::byte> bytes_;

    [[nodiscard]] std::string pathOf(std::size_t size, bool inMemory = false) const {
        return (inMemory ? memoryDir_ : dir_).filePath(QString("%1.bin").arg(size)).toStdString();
    }

  private slots:
    void initTestCase() {
        bytes_ = patternBytes(kSizes[std::size(kSizes) - 1]);
        for (const std::size_t size : kSizes) {
            for (const bool inMemory : {false, true}) {
                writeFile(pathOf(size, inMemory), {bytes_.begin(), bytes_.begin() + static_cast<long>(size)});
            }
        }
        pool_ = std::make_unique<PoolGuard>(32);
    }
    void cleanupTestCase() { pool_.reset(); }

    void registryIsWhole() {
        QVERIFY(!allSources().empty());
        QCOMPARE(allSources().front()->id, std::string_view("read"));
        for (const SourceType* type : allSources()) {
            QCOMPARE(findSource(type->id), type);
            QVERIFY(!type->summary.empty());
            QVERIFY2(parseParameters(type->parameters, "").has_value(), type->id.data());
        }
        QVERIFY(findSource("no-such-source") == nullptr);
    }

    void deliversTheFile_data() {
        QTest::addColumn<int>("source");
        QTest::addColumn<QString>("parameters");
        QTest::addColumn<bool>("inMemory");
        for (int i = 0; i < static_cast<int>(allSources().size()); ++i) {
            const SourceType& type = *allSources()[static_cast<std::size_t>(i)];
            for (const auto& variant : variantsOf(type.parameters)) {
                QTest::addRow("%s:%s", type.id.data(), variant.c_str())
                    << i << QString::fromStdString(variant) << false;
            }
            QTest::addRow("%s on tmpfs", type.id.data()) << i << QString() << true;
        }
    }

    void deliversTheFile() {
        QFETCH(const int, source);
        QFETCH(const QString, parameters);
        QFETCH(const bool, inMemory);
        const SourceType& type = *allSources()[static_cast<std::size_t>(source)];
        if (type.traits.usesHugePages && !pool_->ready()) {
            QSKIP(pool_->why().c_str());
        }
        int delivered = 0;
        std::string refusal;
        for (const std::size_t size : kSizes) {
            for (const auto& ranges : splits(Bytes(size))) {
                const SourceRun run{
                    &type, parameters.toStdString(), pathOf(size, inMemory), Bytes(size), ranges, bytes_};
                const auto label = QString("%1 bytes, %2 ranges from %3")
                                       .arg(size)
                                       .arg(ranges.size())
                                       .arg(ranges.front().begin.count());
                const Availability can = availabilityOf(run);
                if (!can.available) {
                    QVERIFY2(!can.reason.empty(), qPrintable(label));
                    QVERIFY2(size < (1U << 20U),
                             qPrintable(label + ": " + QString::fromStdString(can.reason)));
                    continue;
                }
                const Delivered result = deliver(run);
                if (!result.status && result.status.error().kind == ErrorKind::unavailable) {
                    // What only trying can tell: the filesystem or kernel refused, in words.
                    QVERIFY(!result.status.error().message.empty());
                    QCOMPARE(result.liveMappings, std::size_t{0});
                    refusal = result.status.error().message;
                    continue;
                }
                QVERIFY2(
                    result.status.has_value(),
                    qPrintable(label + ": " +
                               QString::fromStdString(result.status ? "" : result.status.error().message)));
                std::uint64_t wanted = 0;
                for (const Range& range : ranges) {
                    wanted += range.length().count();
                }
                QVERIFY2(result.bytes == wanted, qPrintable(label));
                QVERIFY2(result.equal, qPrintable(label));
                QVERIFY2(result.liveMappings == 0, qPrintable(label));
                ++delivered;
            }
        }
        if (!refusal.empty()) {
            QSKIP(refusal.c_str());
        }
        QVERIFY(delivered >= 12);
    }

    void nothingToMap() {
        for (const SourceType* type : allSources()) {
            const SourceRun run{type, "", pathOf(0), Bytes(0), {{Bytes(0), Bytes(0)}}};
            if (type->traits.mapsFile) {
                QCOMPARE(availabilityOf(run).reason, std::string("the file is empty: nothing to map"));
            } else {
                QVERIFY2(availabilityOf(run).available, type->id.data());
            }
            // Asked all the same, it delivers nothing.
            const Delivered result = deliver(run);
            QVERIFY2(result.status.has_value(), type->id.data());
            QCOMPARE(result.bytes, std::uint64_t{0});
        }
    }

    void missingFileIsAnInputError() {
        for (const SourceType* type : allSources()) {
            const Delivered result =
                deliver({type, "", dir_.filePath("absent").toStdString(), Bytes(5), {{Bytes(0), Bytes(5)}}});
            QVERIFY2(!result.status.has_value(), type->id.data());
            QCOMPARE(result.status.error().kind, ErrorKind::input);
            QVERIFY2(result.status.error().message.find("is no longer there") != std::string::npos,
                     result.status.error().message.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestSourceBytes)
#include "tst_source_bytes.moc"
