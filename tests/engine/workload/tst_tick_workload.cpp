// The `ticks` workload as the rest of the engine sees it: what it makes of a file, how it cuts it, what it
// returns.
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>

#include "engine/workload/tick_reference.h"
#include "workload/tick_detect.h"
#include "workload/ticks.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

std::string readAll(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string sample(const char* name) {
    return readAll(std::string(MMAPSCOPE_TEST_DATA "/ticks/") + name);
}

Parameters parameters(std::string_view text = {}) {
    return parseParameters(tickParameterSpecs(), text).value();
}

std::string textAt(const Outcome& outcome, std::string_view key) {
    for (const auto& [name, value] : outcome.fields) {
        if (name == key) {
            if (const auto* text = std::get_if<std::string>(&value.data)) {
                return *text;
            }
            if (const auto* number = std::get_if<std::uint64_t>(&value.data)) {
                return std::to_string(*number);
            }
            std::string all;
            for (const auto& [inner, ignored] : std::get<Outcome>(value.data).fields) {
                all += (all.empty() ? "" : " ") + inner + '=' + textAt(std::get<Outcome>(value.data), inner);
            }
            return all;
        }
    }
    return "absent";
}

}  // namespace

class TestTicks : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    FileFacts file(const std::string& text) {
        FileFacts facts;
        facts.path = folder_.filePath("ticks.csv").toStdString();
        std::ofstream(facts.path, std::ios::binary) << text;
        facts.bytes = Bytes(text.size());
        return facts;
    }

    /// The whole way, as a run goes it.
    Result<Outcome> run(const FileFacts& facts, std::string_view text, const Parameters& given, Bytes limit,
                        unsigned threads) {
        const auto resolved = ticksWorkload.resolve(facts, given);
        if (!resolved) {
            return tl::unexpected(resolved.error());
        }
        const auto ranges = ticksWorkload.split(facts, *resolved, limit, threads);
        if (!ranges) {
            return tl::unexpected(ranges.error());
        }
        std::vector<std::unique_ptr<Workload>> parts;
        std::vector<Workload*> all;
        for (const Range& range : *ranges) {
            WorkloadInput input;
            input.range = range;
            input.whole = {Bytes(0), limit};
            auto part = ticksWorkload.create(*resolved, input);
            if (!part) {
                return tl::unexpected(part.error());
            }
            const std::string_view bytes = text.substr(range.begin.size(), range.length().size());
            if (const Status status = (*part)->consume(std::as_bytes(std::span(bytes))); !status) {
                return tl::unexpected(status.error());
            }
            if (const Status status = (*part)->finish(); !status) {
                return tl::unexpected(status.error());
            }
            all.push_back(part->get());
            parts.push_back(std::move(*part));
        }
        return all.front()->outcome(all);
    }

  private slots:
    void samples_data() {
        QTest::addColumn<QString>("schema");
        QTest::addColumn<QString>("header");
        QTest::addColumn<QString>("columns");
        QTest::addColumn<QString>("rows");
        QTest::addColumn<QString>("sums");
        QTest::addColumn<QString>("times");
        const auto row = [](const char* file, const char* schema, const char* header, const char* columns,
                            const char* rows, const char* sums, const char* times) {
            QTest::newRow(file) << schema << header << columns << rows << sums << times;
        };
        // Added up by hand.
        row("binance-spot-trades.csv", "binance-spot-trades", "no", "7", "5",
            "id=1552500015 price=6.2249 qty=397.4 quote_qty=494.73267 is_buyer_maker=2 is_best_match=5",
            "1735689599870000000 1735689600731005000");
        row("binance-spot-aggtrades.csv", "binance-spot-aggtrades", "no", "8", "3",
            "agg_trade_id=231006 price=0.0010238 quantity=15221 first_trade_id=273009 last_trade_id=273016 "
            "is_buyer_maker=1 is_best_match=3",
            "1735689590120000000 1735689600100200000");
        row("binance-futures-trades.csv", "binance-futures-trades", "yes", "6", "3",
            "id=15006 price=6931.11 qty=12.501 quote_qty=28882.4303 is_buyer_maker=2",
            "1704067200003000000 1704067201999000000");
        row("binance-futures-trades-old.csv", "binance-futures-trades", "no", "6", "2",
            "id=23 price=18241.05 qty=1.55 quote_qty=14136.8375 is_buyer_maker=1",
            "1593561600011000000 1593561600420000000");
        row("binance-futures-aggtrades.csv", "binance-futures-aggtrades", "yes", "7", "2",
            "agg_trade_id=1801 price=1.1023 quantity=4035.5 first_trade_id=2408 last_trade_id=2415 "
            "is_buyer_maker=1",
            "1709251200001000000 1709251200350000000");
        row("tardis-trades.csv", "tardis-trades", "yes", "8", "3", "side=1 price=9030 amount=1521",
            "1714521600000150000 1714521601000007000");
        row("kraken-trades.csv", "kraken-trades", "no", "3", "3", "price=1837.35 volume=2.0001",
            "1534614057000000000 1534614060000001000");
        row("generic.csv", "generic", "no", "5", "4", "price=303.265 size=14.75 side=2 id=10",
            "1735689600000000000 1735689600950000000");
        row("generic-windows.csv", "generic", "yes", "3", "2", "price=199.25 size=3",
            "1735689600000000000 1735689601000000000");
    }
    void samples() {
        QFETCH(QString, schema);
        QFETCH(QString, header);
        QFETCH(QString, columns);
        QFETCH(QString, rows);
        QFETCH(QString, sums);
        QFETCH(QString, times);
        const std::string text = sample(QTest::currentDataTag());
        QVERIFY(!text.empty());
        const FileFacts facts = file(text);
        const auto resolved = ticksWorkload.resolve(facts, parameters());
        QVERIFY(resolved.has_value());
        QCOMPARE(QString::fromStdString(textOf(*resolved, "schema")), schema);
        QCOMPARE(QString::fromStdString(textOf(*resolved, "header")), header);
        QCOMPARE(QString::fromStdString(textOf(*resolved, "columns")), columns);
        QVERIFY(ticksWorkload.resolve(facts, *resolved) == *resolved);
        // The study file keeps them as text.
        QVERIFY(parseParameters(tickParameterSpecs(), formatParameters(tickParameterSpecs(), *resolved)) ==
                *resolved);
        for (unsigned threads = 1; threads <= 5; ++threads) {
            const auto outcome = run(facts, text, parameters(), facts.bytes, threads);
            QVERIFY(outcome.has_value());
            QCOMPARE(QString::fromStdString(textAt(*outcome, "rows")), rows);
            QCOMPARE(textAt(*outcome, "rejected"), std::string("0"));
            QCOMPARE(textAt(*outcome, "first_reject"), std::string("absent"));
            QCOMPARE(QString::fromStdString(textAt(*outcome, "sums")), sums);
            QCOMPARE(
                QString::fromStdString(textAt(*outcome, "first_time") + ' ' + textAt(*outcome, "last_time")),
                times);
        }
        const QString said = QString::fromStdString(ticksWorkload.describe(facts, *resolved));
        QVERIFY2(said.startsWith("tick CSV, " + schema + " ("), qPrintable(said));
        QVERIFY2(said.contains(header == "yes" ? "), header: " : "), no header: "), qPrintable(said));
        QVERIFY2(said.contains("first rows fit and no other known schema does"), qPrintable(said));
    }

    void twoThatFit() {
        // Both (time, price, size) and (price, volume, time in seconds).
        const FileFacts facts = file("1700000000,1700000001,1700000002\n1700000003,1700000004,1700000005\n");
        const auto resolved = ticksWorkload.resolve(facts, parameters());
        QVERIFY(resolved.has_value());
        QCOMPARE(textOf(*resolved, "schema"), std::string("kraken-trades"));
        const QString said = QString::fromStdString(ticksWorkload.describe(facts, *resolved));
        QVERIFY2(said.contains("generic would fit too") && said.contains("schema="), qPrintable(said));
        // The header's names decide before the order does.
        const FileFacts named = file("time,price,size\n1700000000,1700000001,1700000002\n");
        QCOMPARE(textOf(*ticksWorkload.resolve(named, parameters()), "schema"), std::string("generic"));
    }

    void headers_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("given");
        QTest::addColumn<QString>("header");
        QTest::newRow("none") << QByteArray("1700000000,1.5,2\n") << ""
                              << "no";
        QTest::newRow("names") << QByteArray("time,price,size\n1700000000,1.5,2\n") << ""
                               << "yes";
        QTest::newRow("other names") << QByteArray("ts,px,sz\n1700000000,1.5,2\n") << ""
                                     << "yes";
        QTest::newRow("quoted names") << QByteArray("\"time\",\"price\",\"size\"\n1700000000,1.5,2\n") << ""
                                      << "yes";
        QTest::newRow("names alone") << QByteArray("time,price,size\n") << ""
                                     << "yes";
        QTest::newRow("names alone, open") << QByteArray("Time,Price,Size") << ""
                                           << "yes";
        QTest::newRow("a bad first row") << QByteArray("x1,1.5,2\n1700000000,1.5,2\n") << ""
                                         << "no";
        QTest::newRow("another width") << QByteArray("trades of May\n1700000000,1.5,2\n") << ""
                                       << "no";
        QTest::newRow("said yes") << QByteArray("1700000000,1.5,2\n1700000000,1.5,2\n") << "header=yes"
                                  << "yes";
        QTest::newRow("said no") << QByteArray("time,price,size\n1700000000,1.5,2\n") << "header=no"
                                 << "no";
        QTest::newRow("texts alone") << QByteArray("a,b\nx,y\n") << "a:text,b:text"
                                     << "yes";
        QTest::newRow("texts alone, none") << QByteArray("x,y\nx,y\n") << "a:text,b:text"
                                           << "no";
    }
    void headers() {
        QFETCH(QByteArray, text);
        QFETCH(QString, given);
        QFETCH(QString, header);
        const auto resolved =
            ticksWorkload.resolve(file(text.toStdString()), parameters(given.toStdString()));
        QVERIFY2(resolved.has_value(), resolved ? "" : resolved.error().message.c_str());
        QCOMPARE(QString::fromStdString(textOf(*resolved, "header")), header);
    }

    void refused_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("given");
        QTest::addColumn<QString>("says");
        QTest::newRow("words") << QByteArray("hello world\nsecond line\n") << ""
                               << "the first row is \"hello world\"";
        QTest::newRow("controls") << QByteArray("a\tb\x1B[1m\n1\n") << ""
                                  << "the first row is \"a\\x09b\\x1b[1m\"";
        QTest::newRow("no lines") << QByteArray(2 << 20, '1') << ""
                                  << "no line end in the first 1 MiB";
        QTest::newRow("not a time") << QByteArray("1,2,3\n4,5,6\n") << ""
                                    << "the first row is \"1,2,3\"";
        QTest::newRow("a later row") << QByteArray("1700000000000,1.5,2\n1,2,3\nx,y,z\n\n4,5\n6\n") << ""
                                     << "line 2 is the first that doesn't fit";
        QTest::newRow("a later row, why")
            << QByteArray("1700000000000,1.5,2\n1700000000001,a,b\nx,y\nz\n") << ""
            << "column 2 (price): ";
        QTest::newRow("zstd") << QByteArray("\x28\xB5\x2F\xFD\x04\x00\x01\x00\x00\x99\xE9\xD8\x51", 13) << ""
                              << "zstd:then=ticks";
        QTest::newRow("unknown") << QByteArray("1\n") << "genric"
                                 << "did you mean \"generic\"";
        QTest::newRow("kind") << QByteArray("1\n") << "a:float"
                              << "column \"a\" has no kind \"float\"";
        QTest::newRow("twice") << QByteArray("1\n") << "a:int,a:int"
                               << "two columns are called \"a\"";
        QTest::newRow("no kind") << QByteArray("1\n") << "a:int,b"
                                 << "\"b\" is not a column";
        QTest::newRow("width") << QByteArray("1\n") << "generic,columns=2"
                               << "generic has 3 to 5";
        QTest::newRow("fixed width") << QByteArray("1\n") << "kraken-trades,columns=4"
                                     << "kraken-trades has 3";
    }
    void refused() {
        QFETCH(QByteArray, text);
        QFETCH(QString, given);
        QFETCH(QString, says);
        const FileFacts facts = file(text.toStdString());
        const auto resolved = ticksWorkload.resolve(facts, parameters(given.toStdString()));
        QVERIFY(!resolved.has_value());
        const QString message = QString::fromStdString(resolved.error().message);
        QVERIFY2(message.contains(says), qPrintable(message));
        QVERIFY2(!message.contains('\n'), qPrintable(message));
        QVERIFY(resolved.error().kind == (given.isEmpty() ? ErrorKind::input : ErrorKind::usage));
    }
    void missingFile() {
        FileFacts facts;
        facts.path = folder_.filePath("gone.csv").toStdString();
        facts.bytes = Bytes(5);
        QVERIFY(ticksWorkload.resolve(facts, parameters()).error().kind == ErrorKind::input);
        QCOMPARE(ticksWorkload.describe(facts, parameters()), std::string());
    }

    void nothingInIt_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("empty") << QByteArray("");
        QTest::newRow("byte-order mark") << QByteArray("\xEF\xBB\xBF");
        QTest::newRow("empty lines") << QByteArray("\n\r\n\n");
    }
    void nothingInIt() {
        QFETCH(QByteArray, text);
        const std::string bytes = text.toStdString();
        const FileFacts facts = file(bytes);
        for (unsigned threads = 1; threads <= 3; ++threads) {
            const auto outcome = run(facts, bytes, parameters(), facts.bytes, threads);
            QVERIFY(outcome.has_value());
            QCOMPARE(textAt(*outcome, "rows"), std::string("0"));
            QCOMPARE(textAt(*outcome, "rejected"), std::string("0"));
            QCOMPARE(textAt(*outcome, "sums"), std::string("price=0 size=0 side=0 id=0"));
            QCOMPARE(textAt(*outcome, "first_time"), std::string("absent"));
        }
    }

    void explicitSchemaIsObeyed() {
        const std::string text = "hello\nworld,1\n1700000000,2.5,3\n";
        const auto outcome = run(file(text), text, parameters("generic,columns=3"), Bytes(text.size()), 1);
        QVERIFY(outcome.has_value());
        QCOMPARE(textAt(*outcome, "rows"), std::string("1"));
        QCOMPARE(textAt(*outcome, "rejected"), std::string("2"));
        QCOMPARE(textAt(*outcome, "first_reject"),
                 std::string("offset=0 reason=column 1 (time): not a number"));
        QCOMPARE(textAt(*outcome, "sums"), std::string("price=2.5 size=3"));
    }
    void ownColumns() {
        const std::string text = "EURUSD;,1.5,x\nGBPUSD,-2,y\n";
        const auto outcome =
            run(file(text), text, parameters("symbol:text,price:decimal,note:skip,header=no"),
                Bytes(text.size()), 2);
        QVERIFY(outcome.has_value());
        QCOMPARE(textAt(*outcome, "rows"), std::string("2"));
        QCOMPARE(textAt(*outcome, "sums"), std::string("price=-0.5"));
        QCOMPARE(textAt(*outcome, "first_time"), std::string("absent"));
    }

    void scanners_data() {
        QTest::addColumn<QString>("scanner");
        for (const std::string_view choice : tickScannerSpec().choices) {
            const auto name = QString::fromUtf8(choice.data(), static_cast<qsizetype>(choice.size()));
            QTest::newRow(qPrintable(name)) << name;
        }
    }
    /// One asked for by name reads, or is refused with the reason; auto is gone after planning.
    void scanners() {
        QFETCH(QString, scanner);
        const std::string text = sample("binance-spot-trades.csv");
        const FileFacts facts = file(text);
        const auto expected = run(facts, text, parameters(), facts.bytes, 1);
        QVERIFY(expected.has_value());
        const std::string asked = "scanner=" + scanner.toStdString();
        const auto& specs = ticksWorkload.parameters;
        const auto resolved = ticksWorkload.resolve(facts, *parseParameters(specs, asked));
        const TickPlan plan = makeTickPlan(*findTickSchema("binance-spot-trades"));
        const auto& all = tickScanners();
        const auto it = std::find_if(all.begin(), all.end(),
                                     [&](const TickScanner* s) { return s->name == scanner.toStdString(); });
        if (scanner != "auto" && (it == all.end() || !(*it)->runsHere())) {
            QVERIFY(!resolved.has_value());
            QVERIFY(resolved.error().kind == ErrorKind::unavailable);
            QVERIFY(resolved.error().message.starts_with(asked));
            return;
        }
        QVERIFY(resolved.has_value());
        QCOMPARE(textOf(*resolved, "scanner"),
                 scanner == "auto" ? std::string(bestTickScanner(plan).name) : scanner.toStdString());
        QVERIFY(parseParameters(specs, formatParameters(specs, *resolved)) == *resolved);
        const auto outcome = run(facts, text, *parseParameters(specs, asked), facts.bytes, 2);
        QVERIFY(outcome.has_value());
        QVERIFY(*outcome == *expected);

        // With columns of one's own, which have commas in them.
        const auto own = parseParameters(specs, asked + ",schema=a:int,b:text");
        QVERIFY(own.has_value());
        QVERIFY(parseParameters(specs, formatParameters(specs, *own)) == *own);
        QCOMPARE(textOf(*own, "schema"), std::string("a:int,b:text"));
        QVERIFY(ticksWorkload.resolve(facts, *own).has_value());
    }
    /// Nothing to convert, so that no shape can help.
    void scannerThatCannotTakeTheColumns() {
        const FileFacts facts = file("a\n");
        for (const TickScanner* scanner : tickScanners()) {
            const auto asked = parseParameters(ticksWorkload.parameters,
                                               "scanner=" + std::string(scanner->name) + ",schema=x:text");
            const auto resolved = ticksWorkload.resolve(facts, *asked);
            QCOMPARE(resolved.has_value(), scanner->supported(makeTickPlan(*parseTickSchema("x:text"))));
            QVERIFY(resolved.has_value() || resolved.error().kind == ErrorKind::unavailable);
        }
    }
    void everyThreadCountAgrees() {
        RowMaker maker(21);
        const TickSchema& schema = *findTickSchema("binance-spot-trades");
        std::string text;
        for (int i = 0; i < 500; ++i) {
            text += maker.row(schema) + (i % 7 == 0 ? "\r\n" : "\n") + (i % 40 == 39 ? "\n" : "");
        }
        text += "1,2\n" + maker.row(schema) + "\n\n\n";
        const FileFacts facts = file(text);
        const auto once = run(facts, text, parameters("binance-spot-trades"), facts.bytes, 1);
        QVERIFY(once.has_value());
        QCOMPARE(textAt(*once, "rows"), std::string("501"));
        QCOMPARE(textAt(*once, "rejected"), std::string("13"));
        for (unsigned threads = 2; threads <= 64; ++threads) {
            const auto again = run(facts, text, parameters("binance-spot-trades"), facts.bytes, threads);
            QVERIFY(again.has_value());
            for (const auto& [key, value] : once->fields) {
                QCOMPARE(textAt(*again, key), textAt(*once, key));
            }
        }
    }

    void splitsAtLineEnds() {
        const std::string text = "1\n22\n333\n" + std::string(100000, '4') + "\n5\n6";
        const FileFacts facts = file(text);
        for (unsigned threads = 1; threads <= 9; ++threads) {
            for (const std::size_t limit : {text.size(), std::size_t{5}, std::size_t{2}, std::size_t{0}}) {
                const auto ranges = ticksWorkload.split(facts, parameters(), Bytes(limit), threads);
                QVERIFY(ranges.has_value());
                QCOMPARE(ranges->size(), std::size_t{threads});
                QCOMPARE(ranges->front().begin.count(), 0U);
                QCOMPARE(ranges->back().end.count(), limit);
                for (std::size_t i = 1; i < ranges->size(); ++i) {
                    const std::size_t begin = (*ranges)[i].begin.size();
                    QVERIFY((*ranges)[i - 1].end == (*ranges)[i].begin);
                    QVERIFY(begin == 0 || begin == limit || text[begin - 1] == '\n');
                }
            }
        }
    }

    void fitsLimitToLineEnds() {
        const std::string text = "1\n22\r\n" + std::string(100000, '3') + "\n4";
        const FileFacts facts = file(text);
        const std::vector<std::pair<std::size_t, std::size_t>> cases{
            {1, 2}, {2, 2}, {3, 6}, {6, 6}, {7, 100007}, {100007, 100007}, {100008, 100008}};
        for (const auto& [limit, fitted] : cases) {
            QCOMPARE(ticksWorkload.fitLimit(facts, parameters(), Bytes(limit))->count(), fitted);
        }
        const FileFacts lineless = file(std::string((17 << 20) + 1, '1'));
        const auto refused = ticksWorkload.fitLimit(lineless, parameters(), Bytes(1));
        QVERIFY(!refused.has_value() && refused.error().kind == ErrorKind::input);
        QCOMPARE(ticksWorkload.fitLimit(lineless, parameters(), lineless.bytes)->count(),
                 lineless.bytes.count());
    }
};

QTEST_GUILESS_MAIN(TestTicks)
#include "tst_tick_workload.moc"
