// The same rows and sums however the bytes are cut up, whichever scanner reads them, whatever is in them; and
// nothing is read behind their end.
#include <sys/mman.h>

#include <QtTest>
#include <cstring>

#include "core/units.h"
#include "engine/workload/tick_reference.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

constexpr std::array<std::size_t, 8> kSpans{1, 2, 3, 7, 63, 64, 65, 4096};

bool same(const TickTotals& a, const TickTotals& b) {
    return a.rows == b.rows && a.rejected == b.rejected && a.firstReject.offset == b.firstReject.offset &&
           a.firstReject.fault == b.firstReject.fault && a.firstReject.column == b.firstReject.column &&
           a.sums == b.sums && a.firstTime == b.firstTime && a.lastTime == b.lastTime;
}

/// Bytes that end where the next page can't be read.
class BeforeAWall {
  public:
    explicit BeforeAWall(std::string_view text)
        : room_(roundUp(Bytes(text.size()), pageSize()).size() + pageSize().size()), length_(text.size()) {
        base_ = static_cast<char*>(
            ::mmap(nullptr, room_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        wall_ = base_ + room_ - pageSize().size();
        std::memcpy(wall_ - length_, text.data(), length_);
        ::mprotect(wall_, pageSize().size(), PROT_NONE);
    }
    BeforeAWall(const BeforeAWall&) = delete;
    BeforeAWall& operator=(const BeforeAWall&) = delete;
    ~BeforeAWall() { ::munmap(base_, room_); }

    [[nodiscard]] std::string_view text() const { return {wall_ - length_, length_}; }

  private:
    std::size_t room_;
    std::size_t length_;
    char* base_ = nullptr;
    char* wall_ = nullptr;
};

std::vector<TickSchema> schemas() {
    std::vector<TickSchema> all = knownTickSchemas();
    all.push_back(*parseTickSchema("n:int,s:skip,d:decimal,x:text,t:time:ms,f:flag"));
    all.push_back(*parseTickSchema("x:text"));
    all.push_back(*parseTickSchema("d:decimal"));
    return all;
}

/// Exactly `size` bytes of rows, no line feed at the end.
std::string fileOf(const TickSchema& schema, std::size_t size, unsigned seed) {
    RowMaker maker(seed);
    std::string text;
    while (text.size() < size) {
        text += maker.row(schema) + '\n';
    }
    text.resize(size);
    if (text.back() == '\n') {
        text.back() = '1';
    }
    return text;
}

}  // namespace

class TestTickChunks : public QObject {
    Q_OBJECT

  private slots:
    void everySpan_data() { eachSchemaAndScanner(); }
    void everySpan() {
        QFETCH(int, schema);
        QFETCH(int, scanner);
        const TickSchema known = schemas()[static_cast<std::size_t>(schema)];
        const TickScanner& by = *tickScanners()[static_cast<std::size_t>(scanner)];
        RowMaker maker(7);
        std::string text = "\xEF\xBB\xBF" + headerOf(known) + "\r\n";
        for (int i = 0; i < 400; ++i) {
            text += maker.row(known) + (i % 3 == 0 ? "\r\n" : "\n");
            text += i % 50 == 49 ? "\n" : i % 60 == 59 ? "1,2,\"3\"\r\n" : "";
        }
        text += "\r\n\n";
        const Reading expected = readPlainly(known, text, true);
        QVERIFY(expected.rejected > 0 && expected.rows >= 400);
        const TickTotals whole = scanInSpans(known, text, true, text.size(), by);
        QCOMPARE(difference(known, expected, whole), std::string());
        for (const std::size_t span : kSpans) {
            QVERIFY2(same(whole, scanInSpans(known, text, true, span, by)),
                     qPrintable(QString::number(span)));
        }
    }

    void nothingBehindTheEnd_data() { eachSchemaAndScanner(); }
    void nothingBehindTheEnd() {
        QFETCH(int, schema);
        QFETCH(int, scanner);
        const TickSchema known = schemas()[static_cast<std::size_t>(schema)];
        const TickScanner& by = *tickScanners()[static_cast<std::size_t>(scanner)];
        for (const std::size_t size :
             {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{65}, std::size_t{4096},
              std::size_t{8192}, std::size_t{16384}, std::size_t{49152}}) {
            std::string text = fileOf(known, size, static_cast<unsigned>(size));
            for (const char* end : {"", "\n", "\r\n", "\r"}) {
                std::memcpy(text.data() + text.size() - std::min(std::strlen(end), text.size()), end,
                            std::min(std::strlen(end), text.size()));
                const BeforeAWall walled(text);
                const Reading expected = readPlainly(known, text, false);
                for (const std::size_t span : {size, std::size_t{4096}, std::size_t{1000}}) {
                    const TickTotals got = scanInSpans(known, walled.text(), false, span, by);
                    const std::string wrong = difference(known, expected, got);
                    QVERIFY2(wrong.empty(), qPrintable(QString::fromStdString(wrong)));
                }
            }
        }
    }

    /// A range that is read by several instances gives what one gives.
    void ranges_data() { eachSchemaAndScanner(); }
    void ranges() {
        QFETCH(int, schema);
        QFETCH(int, scanner);
        const TickSchema known = schemas()[static_cast<std::size_t>(schema)];
        const TickScanner& by = *tickScanners()[static_cast<std::size_t>(scanner)];
        RowMaker maker(11);
        std::string text;
        std::vector<std::size_t> starts{0};
        for (int i = 0; i < 40; ++i) {
            text += i % 5 == 1 ? "\n" : maker.row(known) + '\n';
            starts.push_back(text.size());
        }
        text += "\n\n";
        const Reading expected = readPlainly(known, text, false);
        for (const std::size_t first : starts) {
            for (const std::size_t second : starts) {
                if (second < first) {
                    continue;
                }
                TickTotals totals;
                for (const auto& [begin, end] : {std::pair(std::size_t{0}, first), std::pair(first, second),
                                                 std::pair(second, text.size())}) {
                    TickLines lines(makeTickPlan(known), false, Bytes(begin), by);
                    QVERIFY(lines.consume(std::string_view(text).substr(begin, end - begin)).has_value());
                    lines.finish();
                    totals.append(lines.totals());
                }
                QCOMPARE(difference(known, expected, totals), std::string());
            }
        }
    }

    /// Every byte of a few rows replaced by everything that means something, the rows lying around the end of
    /// a span and of memory.
    void mutations_data() { eachSchemaAndScanner(); }
    void mutations() {
        QFETCH(int, schema);
        QFETCH(int, scanner);
        const TickSchema known = schemas()[static_cast<std::size_t>(schema)];
        const TickScanner& by = *tickScanners()[static_cast<std::size_t>(scanner)];
        RowMaker maker(static_cast<unsigned>(schema) + 3);
        std::string base;
        for (int i = 0; i < 4; ++i) {
            base += maker.row(known) + (i == 2 ? "\r\n" : "\n");
        }
        const std::string_view bytes("\0\n\r,\"+-./09:;AZaz \t\x7F\x80\xB0\xFF", 23);
        for (std::size_t at = 0; at < base.size(); ++at) {
            for (const char byte : bytes) {
                std::string text = base;
                text[at] = byte;
                const BeforeAWall walled(text);
                const Reading expected = readPlainly(known, text, false);
                const TickTotals whole = scanInSpans(known, walled.text(), false, text.size(), by);
                const std::string wrong = difference(known, expected, whole);
                QVERIFY2(wrong.empty(), qPrintable(QString::fromStdString(wrong + "in " + text)));
                QVERIFY(same(whole, scanInSpans(known, walled.text(), false, 1 + at, by)));
                QVERIFY(same(whole, scanInSpans(known, walled.text(), false, 64, by)));
                QVERIFY(same(whole, scanInSpans(known, text, false, text.size(), *tickScanners().back())));
            }
        }
    }

    /// Bytes inserted, removed, doubled: rows and sums still are what the plain reading says.
    void randomDamage_data() { eachSchemaAndScanner(); }
    void randomDamage() {
        QFETCH(int, schema);
        QFETCH(int, scanner);
        const TickSchema known = schemas()[static_cast<std::size_t>(schema)];
        const TickScanner& by = *tickScanners()[static_cast<std::size_t>(scanner)];
        RowMaker maker(99);
        const std::string_view bytes("0123456789,,,..\n\n\r\"-+eTtB \0", 27);
        for (int round = 0; round < 300; ++round) {
            std::string text;
            for (int i = 0; i < 30; ++i) {
                text += maker.row(known) + '\n';
            }
            for (std::size_t i = maker.below(12); i > 0; --i) {
                const std::size_t at = maker.below(text.size());
                switch (maker.below(3)) {
                    case 0:
                        text.erase(at, 1 + maker.below(5));
                        break;
                    case 1:
                        text.insert(at, 1 + maker.below(3), bytes[maker.below(bytes.size())]);
                        break;
                    default:
                        text.insert(at, text.substr(at, maker.below(40)));
                        break;
                }
            }
            const Reading expected = readPlainly(known, text, false);
            const TickTotals whole = scanInSpans(known, text, false, text.size(), by);
            const std::string wrong = difference(known, expected, whole);
            QVERIFY2(wrong.empty(), qPrintable(QString::fromStdString(wrong + "in " + text)));
            QVERIFY(same(whole, scanInSpans(known, text, false, 1 + maker.below(200), by)));
        }
    }

    /// Column lists nobody thought of, with a little damage: every scanner that takes them says the same.
    void anyColumns() {
        const std::vector<std::string> kinds{"int",     "decimal", "time", "time:s", "time:ms", "time:us",
                                             "time:ns", "flag",    "side", "text",   "skip"};
        RowMaker maker(5);
        for (int round = 0; round < 600; ++round) {
            std::string list;
            for (std::size_t i = 0, count = 1 + maker.below(20); i < count; ++i) {
                list += (i == 0 ? "c" : ",c") + std::to_string(i) + ':' + kinds[maker.below(kinds.size())];
            }
            const TickSchema schema = *parseTickSchema(list);
            std::string text;
            for (std::size_t i = 0, count = 1 + maker.below(200); i < count; ++i) {
                text += maker.row(schema) + (round % 3 == 0 ? "\r\n" : "\n");
            }
            for (std::size_t i = maker.below(6); i > 0; --i) {
                // A run of one byte moves what follows over every boundary there is.
                text.insert(maker.below(text.size()), maker.below(140), "05x.,\n"[maker.below(6)]);
            }
            const Reading expected = readPlainly(schema, text, false);
            for (const TickScanner* scanner : tickScanners()) {
                if (!scanner->supported(makeTickPlan(schema))) {
                    continue;
                }
                const BeforeAWall walled(text);
                const TickTotals whole = scanInSpans(schema, walled.text(), false, text.size(), *scanner);
                const std::string wrong = difference(schema, expected, whole);
                QVERIFY2(wrong.empty(),
                         qPrintable(QString::fromStdString(wrong + "by " + list + " in " + text)));
                QVERIFY(same(whole, scanInSpans(schema, text, false, text.size(), *tickScanners().back())));
                QVERIFY(
                    same(whole, scanInSpans(schema, text, false, 1 + maker.below(text.size()), *scanner)));
            }
        }
    }

    void stops() {
        const TickSchema schema = *findTickSchema("generic");
        std::string text;
        RowMaker maker(1);
        while (text.size() < mib(4).size()) {
            text += maker.row(schema) + '\n';
        }
        std::stop_source source;
        source.request_stop();
        TickLines lines(makeTickPlan(schema), false, Bytes(0), source.get_token());
        const Status status = lines.consume(text);
        QVERIFY(!status.has_value());
        QVERIFY(status.error().kind == ErrorKind::cancelled);
    }

  private:
    static void eachSchemaAndScanner() {
        QTest::addColumn<int>("schema");
        QTest::addColumn<int>("scanner");
        const auto all = schemas();
        for (std::size_t s = 0; s < tickScanners().size(); ++s) {
            for (std::size_t i = 0; i < all.size(); ++i) {
                if (!tickScanners()[s]->supported(makeTickPlan(all[i]))) {
                    continue;
                }
                const std::string name = all[i].name.empty() ? headerOf(all[i]) : all[i].name;
                QTest::addRow("%s, %s", name.c_str(), std::string(tickScanners()[s]->name).c_str())
                    << static_cast<int>(i) << static_cast<int>(s);
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestTickChunks)
#include "tst_tick_chunks.moc"
