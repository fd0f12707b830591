// Every scanner against the rules, read row by row: the same rows, sums, times and rejects, with their
// reasons, whatever the bytes are and however they are cut up. What is random is so from fixed seeds.
#include <malloc.h>

#include <QtTest>

#include "engine/workload/tick_fuzz.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

struct Case {
    const char* name;
    TickSchema schema;
};

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const TickSchema& schema : knownTickSchemas()) {
        all.push_back({schema.name.c_str(), schema});
    }
    for (const char* own : {"d:decimal", "n:int,f:flag", "t:time:ns,v:int", "t:time:s,u:time:ms,v:decimal",
                            "a:text,n:int,b:skip,d:decimal,c:text", "s:side,f:flag,t:time:us,x:text",
                            "a:int,b:int,c:int,d:int,e:int,f:int,g:int"}) {
        all.push_back({own, *parseTickSchema(own)});
    }
    return all;
}

}  // namespace

class TestTickFuzz : public QObject {
    Q_OBJECT

    /// Empty when all scanners agree about the text as a whole.
    std::string disagreement(const TickSchema& schema, std::string_view text) {
        return disagreement(schema, text, [&] { return text.size(); });
    }
    std::string disagreement(const TickSchema& schema, std::string_view text,
                             const std::function<std::size_t()>& span, bool header = false) {
        const TickPlan plan = makeTickPlan(schema);
        const TickTotals want = scanBy(
            plan, plainTickScanner, text, [&] { return text.size(); }, header);
        std::vector<const TickScanner*> scanners = tickScanners();
        scanners.push_back(&wordTickScanner);
        std::string all;
        for (const TickScanner* scanner : scanners) {
            if (scanner->supported(plan)) {
                const std::string one = differences(want, scanBy(plan, *scanner, text, span, header));
                all += one.empty() ? "" : std::string(scanner->name) + ": " + one;
            }
        }
        return all;
    }
    static void eachCase() {
        QTest::addColumn<int>("at");
        const auto all = cases();
        for (std::size_t i = 0; i < all.size(); ++i) {
            QTest::newRow(all[i].name) << static_cast<int>(i);
        }
    }

#define AGREES(what)                                                        \
    do {                                                                    \
        const std::string wrong = what;                                     \
        QVERIFY2(wrong.empty(), qPrintable(QString::fromStdString(wrong))); \
    } while (false)

  private slots:
    /// Instances come and go by the ten thousand: their pages needn't go back to the kernel in between.
    void initTestCase() {
        ::mallopt(M_TRIM_THRESHOLD, 64 << 20);
    }

    void fastestIsChosen() {
        const TickPlan plan = makeTickPlan(*findTickSchema("generic"));
        for (const TickScanner* scanner : tickScanners()) {
            if (scanner->supported(plan)) {
                QCOMPARE(&bestTickScanner(plan), scanner);
                break;
            }
        }
        QVERIFY(tickScanners().back()->supported(makeTickPlan(*parseTickSchema("x:text"))));
    }

    void clean_data() {
        eachCase();
    }
    void clean() {
        QFETCH(int, at);
        const TickSchema schema = cases()[static_cast<std::size_t>(at)].schema;
        for (unsigned seed = 0; seed < 12; ++seed) {
            RecurringRows rows(schema, seed, 1 + 3 * seed);
            std::string text = rows.text(std::size_t{1} << (4 + seed), seed % 3 == 0 ? "\r\n" : "\n");
            text =
                (seed % 4 == 1 ? "\xEF\xBB\xBF" : "") + (seed % 2 == 1 ? headerOf(schema) + "\n" : "") + text;
            if (seed % 5 == 2) {
                text.pop_back();
            }
            AGREES(disagreement(
                schema, text, [&] { return text.size(); }, seed % 2 == 1));
            AGREES(disagreement(
                schema, text, [&] { return 1 + rows.below(300); }, seed % 2 == 1));
            AGREES(disagreement(
                schema, text, [&] { return 1 + rows.below(20000); }, seed % 2 == 1));
        }
    }

    /// Everything meaningful put in, put over and taken out at every byte of some rows, behind rows that have
    /// made their shapes known and before ones that must be read on.
    void everyByte_data() {
        eachCase();
    }
    void everyByte() {
        QFETCH(int, at);
        const TickSchema schema = cases()[static_cast<std::size_t>(at)].schema;
        RecurringRows rows(schema, 77, 3);
        const std::string before = rows.text(900);
        const std::string middle = rows.next() + "\n" + rows.next() + "\r\n" + rows.next() + "\n";
        const std::string after = rows.text(200);
        for (std::size_t i = 0; i < middle.size(); ++i) {
            for (const char byte : kMeaningful) {
                std::string over = middle;
                over[i] = byte;
                AGREES(disagreement(schema, before + over + after));
                over = middle;
                over.insert(i, 1, byte);
                AGREES(disagreement(schema, before + over + after));
            }
            std::string less = middle;
            less.erase(i, 1);
            AGREES(disagreement(schema, before + less + after));
            // At the end of the file, and of what may be read.
            for (const char byte : {'0', ',', '\n', '\r', '\xFF'}) {
                std::string last = middle;
                last[i] = byte;
                AGREES(disagreement(schema, before + last));
                AGREES(disagreement(schema, before + last.substr(0, i + 1)));
            }
        }
    }

    /// A text long enough to be read in several places at once, damaged where these begin and end, where
    /// spans do, and anywhere.
    void damage_data() {
        eachCase();
    }
    void damage() {
        QFETCH(int, at);
        const TickSchema schema = cases()[static_cast<std::size_t>(at)].schema;
        RecurringRows rows(schema, 5 + static_cast<unsigned>(at), 8);
        const std::string base = rows.text(17000);
        for (unsigned round = 0; round < 250; ++round) {
            std::string text = base;
            const std::size_t border = base.size() / 4 * rows.below(5);
            for (std::size_t i = rows.below(round % 8 == 0 ? 60 : 4); i < 4 || i % 8 != 0; ++i) {
                std::size_t where = rows.below(2) == 0 ? rows.below(text.size()) : border + rows.below(140);
                where = std::min(where - std::min<std::size_t>(where, 70), text.size() - 1);
                switch (rows.below(4)) {
                    case 0:
                        text[where] = kMeaningful[rows.below(kMeaningful.size())];
                        break;
                    case 1:
                        text.insert(where, 1 + rows.below(3), kMeaningful[rows.below(kMeaningful.size())]);
                        break;
                    case 2:
                        text.erase(where, 1 + rows.below(3));
                        break;
                    default:
                        text.insert(where, text.substr(where, rows.below(90)));
                        break;
                }
            }
            AGREES(disagreement(schema, text));
            if (round % 4 == 0) {
                const std::size_t most = 1 + rows.below(12000);
                AGREES(disagreement(schema, text, [&] { return 1 + rows.below(most); }));
            }
        }
    }

    /// Numbers of any width: more shapes than are kept, each met a few times.
    void manyShapes_data() {
        eachCase();
    }
    void manyShapes() {
        QFETCH(int, at);
        const TickSchema schema = cases()[static_cast<std::size_t>(at)].schema;
        RowMaker maker(3);
        std::vector<std::string> kept;
        std::string text;
        for (int i = 0; i < 12000; ++i) {
            if (kept.size() < 3000 || maker.below(4) == 0) {
                kept.push_back(maker.row(schema));
            }
            text += kept[maker.below(kept.size())] + "\n";
        }
        AGREES(disagreement(schema, text));
        AGREES(disagreement(schema, text, [&] { return 1 + maker.below(40000); }));
    }

    void rowsOfAnyLength_data() {
        QTest::addColumn<QByteArray>("columns");
        QTest::newRow("text") << QByteArray("v:int,t:text");
        QTest::newRow("skip first") << QByteArray("t:skip,v:decimal");
        QTest::newRow("words") << QByteArray("f:flag,t:text,s:side");
    }
    void rowsOfAnyLength() {
        QFETCH(QByteArray, columns);
        const TickSchema schema = *parseTickSchema(columns.toStdString());
        const auto row = [&](std::size_t length) {
            return columns.startsWith('v')   ? "7," + std::string(length, 'x')
                   : columns.startsWith('t') ? std::string(length, 'y') + ",1.5"
                                             : "True," + std::string(length, 'z') + ",buy";
        };
        std::string text;
        for (std::size_t length = 0; length < 300; ++length) {
            const std::string some = row(length) + "\n" + row(length) + "\r\n";
            text += some + some;
            AGREES(disagreement(schema, some + some + some));
        }
        AGREES(disagreement(schema, text));
        for (const std::size_t span :
             {std::size_t{1}, std::size_t{64}, std::size_t{1000}, std::size_t{65536}}) {
            AGREES(disagreement(schema, text, [&] { return span; }));
        }
        for (std::size_t length = kMaxTickRow - 80; length < kMaxTickRow + 80; length += 7) {
            const std::string some = row(20) + "\n" + row(length) + "\n" + row(30) + "\n";
            AGREES(disagreement(schema, some + some));
            AGREES(disagreement(schema, some + some, [] { return std::size_t{5000}; }));
        }
    }

    void numbers() {
        std::mt19937_64 random(11);
        const auto digits = [&](std::size_t count) {
            std::string text;
            for (std::size_t i = 0; i < count; ++i) {
                text += static_cast<char>('0' + random() % 10);
            }
            return text;
        };
        for (const char* columns : {"a:int,d:decimal,b:int", "a:int,x:text,d:decimal,b:int"}) {
            const TickSchema schema = *parseTickSchema(columns);
            const bool text = schema.columns.size() == 4;
            std::string all;
            for (std::size_t whole = 0; whole <= 30; ++whole) {
                for (std::size_t fraction = 0; fraction <= 30; ++fraction) {
                    std::string same;
                    for (const char* sign : {"", "", "", "-", "+"}) {
                        same += digits(1 + whole % 20) + (text ? ",x," : ",") + sign + digits(whole) +
                                (fraction > 0 ? "." + digits(fraction) : "") + "," + sign + digits(whole) +
                                "\n";
                    }
                    AGREES(disagreement(schema, same + same));
                    all += same;
                }
            }
            AGREES(disagreement(schema, all));
            // The same appearance, the largest digits, more rows than the narrowest sums hold.
            const std::string most = text ? "9999999999999999,x,99999999.99999999,9999999999999999\n"
                                          : "9999999999999999,99999999.99999999,9999999999999999\n";
            std::string many;
            for (int i = 0; i < 40000; ++i) {
                many += most;
            }
            AGREES(disagreement(schema, many));
        }
    }

    /// Rows of one block, then of two, then of one for so long that they are read as such again, then of two.
    void longRowsComeAndGo() {
        for (const char* columns : {"a:int,b:decimal,c:int,d:int", "a:int,b:decimal,c:int,d:int,x:text"}) {
            const TickSchema schema = *parseTickSchema(columns);
            const std::string end = schema.columns.size() == 5 ? ",x\n" : "\n";
            const std::string brief = "1,2.5,3,4" + end;
            std::string text;
            for (const std::size_t digits : {std::size_t{14}, std::size_t{15}, std::size_t{16}}) {
                const std::string number(digits, '7');
                const std::string lengthy = number + ",12345678.12345678," + number + "," + number + end;
                for (const int count : {3, 9000, 3, 40000, 400}) {
                    for (int i = 0; i < count; ++i) {
                        text += count > 1000 ? brief : lengthy;
                    }
                }
            }
            AGREES(disagreement(schema, text));
            AGREES(disagreement(schema, text, [] { return std::size_t{5000}; }));
        }
    }

    /// Rows that begin like good ones and go on where those end.
    void longerInDisguise() {
        for (const char* columns : {"n:int,d:decimal,m:int", "x:text,d:decimal,m:int"}) {
            const TickSchema schema = *parseTickSchema(columns);
            for (const std::size_t digits : {std::size_t{1}, std::size_t{9}, std::size_t{16}}) {
                const std::string good =
                    std::string(digits, '7') + ",12345678.1234567," + std::string(digits, '5');
                std::string many;
                for (int i = 0; i < 60; ++i) {
                    many += good + "\n";
                }
                for (const char byte : {',', '.', 'x', '5', '\r'}) {
                    for (std::size_t length = 0; length < 140; ++length) {
                        const std::string longer = good + byte + std::string(length, '7');
                        AGREES(disagreement(schema, many + longer + "\n" + many));
                    }
                    // What looks like a row of its own begins where blocks end, at every place of a batch.
                    for (const std::size_t end : {TickShape::kBlock + 1, TickShape::kMostRow + 1}) {
                        const std::string longer =
                            good + byte + std::string(end - good.size() - 1, '7') + good;
                        for (std::size_t place = 0; place < TickTally::kBatch; ++place) {
                            const std::size_t shift = (good.size() + 1) * place;
                            AGREES(disagreement(schema, many.substr(shift) + longer + "\n" + many));
                        }
                    }
                }
            }
        }
    }

    void words() {
        const TickSchema schema = *parseTickSchema("s:side,f:flag,g:flag,n:int");
        const std::vector<std::string> sides{"B",    "S",       "b",       "s", "buy", "BUY",  "sell",
                                             "Sell", "unknown", "UnKnown", "c", "r",   "bu",   "buys",
                                             "sel",  "\n",      "",        "C", "R",   "\x02", "42"};
        const std::vector<std::string> flags{"true", "false", "True",    "FALSE",
                                             "t",    "trues", "tru\x45", "4rue"};
        std::mt19937_64 random(4);
        for (const std::size_t rare : {std::size_t{3}, std::size_t{40}, std::size_t{1000}}) {
            std::string text;
            for (int i = 0; i < 30000; ++i) {
                const bool odd = random() % rare == 0;
                text += sides[random() % (odd ? sides.size() : 2)] + "," +
                        flags[random() % (odd ? flags.size() : 2)] + "," + flags[random() % 2] + "," +
                        std::to_string(random() % 1000) + "\n";
            }
            AGREES(disagreement(schema, text));
        }
    }

    void times_data() {
        QTest::addColumn<QByteArray>("columns");
        for (const char* columns : {"t:time", "t:time:s", "t:time:ms", "t:time:us", "t:time:ns",
                                    "t:time,u:time", "x:text,t:time,u:time", "u:int,t:time:s,x:skip"}) {
            QTest::newRow(columns) << QByteArray(columns);
        }
    }
    /// Units that change, instants at which a digit more begins, and the ends of what can be told.
    void times() {
        QFETCH(QByteArray, columns);
        const TickSchema schema = *parseTickSchema(columns.toStdString());
        const std::vector<std::uint64_t> around{0,
                                                9,
                                                99'999'999,
                                                999'999'999,
                                                1'735'689'600,
                                                1'999'999'999,
                                                9'223'372'036,
                                                99'999'999'999,
                                                1'735'689'600'000,
                                                9'223'372'036'854,
                                                99'999'999'999'999,
                                                1'735'689'600'000'000,
                                                9'223'372'036'854'775,
                                                99'999'999'999'999'999,
                                                1'735'689'600'000'000'000,
                                                9'223'372'036'854'775'800,
                                                18'446'744'073'709'551'000U};
        std::mt19937_64 random(8);
        const auto time = [&](std::size_t which, std::uint64_t spread) {
            std::string text =
                std::to_string(around[which] + random() % spread - random() % (1 + around[which] % spread));
            const std::size_t fraction = random() % 4 == 0 ? 1 + random() % 10 : 0;
            if (fraction > 0) {
                text +=
                    "." + std::to_string(1'000'000'000'000U + random() % 1'000'000'000).substr(13 - fraction);
            }
            return (random() % 50 == 0 ? "000" : "") + text;
        };
        for (std::size_t kinds = 1; kinds < around.size(); kinds += 3) {
            for (const std::uint64_t spread : {2ULL, 1000ULL, 1'000'000'000ULL}) {
                std::string text;
                std::size_t which = random() % around.size();
                for (int i = 0; i < 3000; ++i) {
                    which = random() % (kinds == 1 ? 700 : 5) == 0 ? random() % around.size() : which;
                    for (std::size_t c = 0; c < schema.columns.size(); ++c) {
                        text += (c > 0 ? "," : "") +
                                (schema.columns[c].kind == TickKind::time      ? time(which, spread)
                                 : schema.columns[c].kind == TickKind::integer ? std::to_string(i)
                                                                               : std::string("a-b"));
                    }
                    text += "\n";
                }
                AGREES(disagreement(schema, text));
            }
        }
    }

    void emptyLines_data() {
        eachCase();
    }
    void emptyLines() {
        QFETCH(int, at);
        const TickSchema schema = cases()[static_cast<std::size_t>(at)].schema;
        RecurringRows rows(schema, 21);
        for (const std::size_t every : {std::size_t{2}, std::size_t{30}, std::size_t{200}}) {
            std::string text;
            while (text.size() < 30000) {
                text += rows.next() + "\n";
                for (std::size_t i = rows.below(every) == 0 ? 1 + rows.below(300) : 0; i > 0; --i) {
                    text += rows.below(3) == 0 ? "\r\n" : "\n";
                }
            }
            AGREES(disagreement(schema, text));
            AGREES(disagreement(schema, text + std::string(9000, '\n')));
            AGREES(disagreement(schema, text, [&] { return 1 + rows.below(9000); }));
        }
    }
};

QTEST_GUILESS_MAIN(TestTickFuzz)
#include "tst_tick_fuzz.moc"
