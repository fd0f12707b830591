#include "engine/workload/workload_testing.h"
#include "workload/word_sum.h"

using namespace mmapscope;
using namespace mmapscope::testing;

class ScanTest : public QObject {
    Q_OBJECT

    static std::uint64_t plainSum(const QByteArray& bytes) {
        std::uint64_t sum = 0;
        for (qsizetype i = 0; i < bytes.size(); ++i) {
            sum += static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * (i % 8));
        }
        return sum;
    }

  private slots:
    void everySumEqualsThePortableOne() {
        const QByteArray bytes = randomBytes(20'000, 1);
        const auto* first = reinterpret_cast<const std::byte*>(bytes.constData());
        const WordSum& portable = allWordSums().front();
        QCOMPARE(portable.name, std::string_view("portable"));
        for (const WordSum& sum : allWordSums()) {
            if (!sum.supported()) {
                qInfo("%s: not supported by this CPU", std::string(sum.name).c_str());
                continue;
            }
            for (std::size_t offset = 0; offset < 9; ++offset) {
                for (const std::size_t words :
                     {0U, 1U, 2U, 3U, 4U, 15U, 16U, 17U, 31U, 32U, 33U, 100U, 2000U}) {
                    QCOMPARE(sum.sum(first + offset, words), portable.sum(first + offset, words));
                }
            }
        }
        QCOMPARE(portable.sum(first, 2500), plainSum(bytes));
    }

    void tailIsPaddedWithZeros_data() {
        QTest::addColumn<int>("size");
        for (const int size : {0, 1, 7, 8, 9, 15, 4095, 4096, 4097, 65'537, 5'000'003}) {
            QTest::addRow("%d", size) << size;
        }
    }
    void tailIsPaddedWithZeros() {
        QFETCH(int, size);
        const TestFile file(randomBytes(static_cast<std::size_t>(size), 2));
        const WorkloadType& scan = *findWorkload("scan");
        const std::string expected = fmt::format("bytes={} sum={} ", size, plainSum(file.bytes()));
        for (const unsigned threads : {1U, 2U, 3U, 5U}) {
            for (const std::size_t span : {std::size_t{1}, std::size_t{7}, std::size_t{63}, SIZE_MAX}) {
                if (span == 1 && size > 100'000) {
                    continue;
                }
                QCOMPARE(textOf(runWorkload(scan, file, {.span = span, .threads = threads})), expected);
            }
        }
    }

    void touchReadsOneByteOfEachStride_data() {
        QTest::addColumn<int>("size");
        QTest::addColumn<int>("stride");
        for (const int size : {0, 1, 4095, 4096, 4097, 300'001}) {
            for (const int stride : {1, 7, 512, 4096, 65'536, 1 << 20}) {
                QTest::addRow("%d by %d", size, stride) << size << stride;
            }
        }
    }
    void touchReadsOneByteOfEachStride() {
        QFETCH(int, size);
        QFETCH(int, stride);
        const TestFile file(randomBytes(static_cast<std::size_t>(size), 3));
        std::uint64_t pages = 0;
        std::uint64_t sum = 0;
        for (int i = 0; i < size; i += stride) {
            ++pages;
            sum += static_cast<unsigned char>(file.bytes()[i]);
        }
        for (const unsigned threads : {1U, 2U, 3U, 5U}) {
            for (const std::size_t span : {std::size_t{63}, std::size_t{4096}, std::size_t{65'537}}) {
                QCOMPARE(
                    textOf(runWorkload(
                        *findWorkload("touch"), file,
                        {.parameters = fmt::format("stride={}", stride), .span = span, .threads = threads})),
                    fmt::format("pages={} sum={} ", pages, sum));
            }
        }
    }

    void touchDefaultsToThePageSize() {
        const TestFile file(randomBytes(100'000, 4));
        const auto expected = (file.bytes().size() + static_cast<qsizetype>(pageSize().count()) - 1) /
                              static_cast<qsizetype>(pageSize().count());
        const auto outcome = runWorkload(*findWorkload("touch"), file, {});
        QVERIFY(outcome.has_value());
        QCOMPARE(std::get<std::uint64_t>(outcome->find("pages")->data), static_cast<std::uint64_t>(expected));
    }

    void threadsStartAtWordsAndPages() {
        const TestFile file(randomBytes(1'000'001, 5));
        const auto ranges = findWorkload("scan")->split(file.facts(), {}, Bytes(1'000'001), 7);
        QVERIFY(ranges.has_value());
        for (const Range& range : *ranges) {
            QVERIFY((range.begin % pageSize()).isZero());
        }
    }

    void stopEndsASpan() {
        const TestFile file(QByteArray(16 << 20, 'x'));
        std::stop_source stop;
        stop.request_stop();
        for (const char* id : {"scan", "touch", "pieces"}) {
            const auto result = runWorkload(*findWorkload(id), file, {.stop = stop.get_token()});
            QVERIFY(!result.has_value());
            QCOMPARE(result.error().kind, ErrorKind::cancelled);
        }
    }
};

QTEST_GUILESS_MAIN(ScanTest)
#include "tst_scan.moc"
