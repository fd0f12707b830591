// What is a row, what isn't and why, and the exact sums.
#include <QtTest>

#include "engine/workload/tick_reference.h"

using namespace mmapscope;
using namespace mmapscope::test;

namespace {

TickTotals scanAll(const TickSchema& schema, const std::string& text, bool header = false) {
    return scanInSpans(schema, text, header, text.size() + 1, bestTickScanner(makeTickPlan(schema)));
}

}  // namespace

class TestTickRows : public QObject {
    Q_OBJECT

  private slots:
    void everyShapeOfFile_data() {
        QTest::addColumn<QString>("schema");
        QTest::addColumn<bool>("crlf");
        QTest::addColumn<bool>("bom");
        QTest::addColumn<bool>("lastFeed");
        QTest::addColumn<bool>("header");
        for (const TickSchema& schema : knownTickSchemas()) {
            for (unsigned shape = 0; shape < 16; ++shape) {
                QTest::addRow("%s %s%s%s%s", schema.name.c_str(), (shape & 1U) != 0 ? "crlf " : "lf ",
                              (shape & 2U) != 0 ? "bom " : "", (shape & 4U) != 0 ? "" : "open ",
                              (shape & 8U) != 0 ? "header" : "")
                    << QString::fromStdString(schema.name) << ((shape & 1U) != 0) << ((shape & 2U) != 0)
                    << ((shape & 4U) != 0) << ((shape & 8U) != 0);
            }
        }
    }
    void everyShapeOfFile() {
        QFETCH(QString, schema);
        QFETCH(bool, crlf);
        QFETCH(bool, bom);
        QFETCH(bool, lastFeed);
        QFETCH(bool, header);
        const TickSchema& known = *findTickSchema(schema.toStdString());
        const std::string feed = crlf ? "\r\n" : "\n";
        for (std::size_t columns = known.leastColumns; columns <= known.columns.size(); ++columns) {
            const TickSchema cut = withColumns(known, columns);
            RowMaker maker(static_cast<unsigned>(columns) + (crlf ? 100 : 0));
            std::string text = std::string(bom ? "\xEF\xBB\xBF" : "") + (header ? headerOf(cut) + feed : "");
            for (int i = 0; i < 2000; ++i) {
                text += maker.row(cut) + feed;
            }
            text += lastFeed ? feed + feed : maker.row(cut);
            const Reading expected = readPlainly(cut, text, header);
            QCOMPARE(expected.rows, lastFeed ? 2000U : 2001U);
            QCOMPARE(expected.rejected, 0U);
            QCOMPARE(difference(cut, expected, scanAll(cut, text, header)), std::string());
        }
    }

    void exact_data() {
        QTest::addColumn<QString>("kinds");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("sum");  // of the first summed column
        const auto row = [](const char* name, const char* kinds, const char* text, const char* sum) {
            QTest::newRow(name) << kinds << QByteArray(text) << sum;
        };
        row("between -1 and 0", "v:decimal", "-0.5\n", "-0.5");
        row("signs cancel", "v:decimal", "-0.5\n0.25\n+0.25\n", "0");
        row("below zero by a hair", "v:decimal", "-1.000000000000000001\n1\n", "-0.000000000000000001");
        row("18 fractional digits", "v:decimal", "0.123456789012345678\n0.000000000000000001\n",
            "0.123456789012345679");
        row("a tenth, ten times", "v:decimal", "0.1\n0.1\n0.1\n0.1\n0.1\n0.1\n0.1\n0.1\n0.1\n0.1\n", "1");
        row("carry over the point", "v:decimal", "0.999999999999999999\n0.000000000000000001\n", "1");
        row("mixed signs across the point", "v:decimal", "2.25\n-0.5\n-3\n", "-1.25");
        row("largest whole", "v:decimal", "9223372036854775807.999999999999999999\n9223372036854775807\n",
            "18446744073709551614.999999999999999999");
        row("past 64 bits", "v:int", "9223372036854775807\n9223372036854775807\n9223372036854775807\n",
            "27670116110564327421");
        row("most negative", "v:int", "-9223372036854775807\n-9223372036854775807\n",
            "-18446744073709551614");
        row("zeros in front", "v:int", "0000000000000000007\n0\n-0\n", "7");
        row("zeros behind", "v:decimal", "1.500\n1.50\n", "3");
        row("ten and a half", "v:decimal", "100.0\n", "100");
        row("flags", "v:flag", "True\ntrue\nFalse\nfalse\nTRUE\n", "3");
        row("sides", "v:side", "B\nS\nb\ns\nbuy\nSELL\nunknown\nBuy\n", "4");
        row("nothing", "v:decimal", "", "0");
    }
    void exact() {
        QFETCH(QString, kinds);
        QFETCH(QByteArray, text);
        QFETCH(QString, sum);
        const TickSchema schema = *parseTickSchema(kinds.toStdString());
        const TickTotals totals = scanAll(schema, text.toStdString());
        QCOMPARE(totals.rejected, 0U);
        const bool decimal = schema.columns[0].kind == TickKind::decimal;
        QCOMPARE(QString::fromStdString(decimalText(totals.sums[0], decimal ? totals.sums[1] : 0)), sum);
        QCOMPARE(difference(schema, readPlainly(schema, text.toStdString(), false), totals), std::string());
    }

    void times_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qint64>("nanoseconds");
        const auto row = [](const char* kind, const char* text, qint64 ns) {
            QTest::addRow("%s %s", kind, text) << QString(kind) << QByteArray(text) << ns;
        };
        row("time", "1735689599", 1735689599000000000);
        row("time", "1735689599.5", 1735689599500000000);
        row("time", "1735689599.000000001", 1735689599000000001);
        row("time", "1735689599999", 1735689599999000000);
        row("time", "1735689600000001", 1735689600000001000);
        row("time", "1735689600000000001", 1735689600000000001);  // as a double it would end in 000
        row("time", "9223372036854775807", 9223372036854775807);
        row("time", "99999999999.9", -1);  // seconds: after 2262
        row("time", "100000000000", 100000000000000000);
        row("time", "99999999999999", -1);  // ms: after 2262
        row("time", "100000000000000", 100000000000000000);
        row("time", "99999999999999999", -1);  // µs: after 2262
        row("time", "100000000000000000", 100000000000000000);
        row("time:s", "0", 0);
        row("time:s", "100000000000", -1);
        row("time:ms", "1", 1000000);
        row("time:ms", "1.000001", 1000001);
        row("time:us", "1.001", 1001);
        row("time:ns", "1", 1);
        row("time:s", "9223372036.854775807", 9223372036854775807);
        row("time:s", "9223372036.854775808", -1);
    }
    void times() {
        QFETCH(QString, kind);
        QFETCH(QByteArray, text);
        QFETCH(qint64, nanoseconds);
        const TickSchema schema = *parseTickSchema("t:" + kind.toStdString());
        const TickTotals totals = scanAll(schema, text.toStdString() + "\n");
        if (nanoseconds < 0) {
            QCOMPARE(totals.rejected, 1U);
            QCOMPARE(describeReject(schema, totals.firstReject),
                     std::string("column 1 (t): later than the year 2262"));
        } else {
            QCOMPARE(totals.rows, 1U);
            QCOMPARE(totals.firstTime, nanoseconds);
            QCOMPARE(totals.lastTime, nanoseconds);
        }
    }
    void timeRangeSpansUnits() {
        const TickSchema schema = *parseTickSchema("t:time");
        const TickTotals totals =
            scanAll(schema, "1735689600000001\n1735689599999\n1735689600000003\n1735689600\n");
        QCOMPARE(totals.rows, 4U);
        QCOMPARE(totals.firstTime, 1735689599999000000);
        QCOMPARE(totals.lastTime, 1735689600000003000);
    }

    void rejects_data() {
        QTest::addColumn<QByteArray>("row");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* text, const char* reason, int length = -1) {
            QTest::addRow("%s", text) << QByteArray(text, length) << reason;
        };
        row("", "empty line between rows");
        row("\r", "empty line between rows");
        row("1,2.5,True,B", "too few columns: the row ends after 4 of 5");
        row("1", "too few columns: the row ends after 1 of 5");
        row("1,2.5,True,B,x,", "too many columns: the row goes on after 5");
        row("1,2.5,True,B,x,y", "too many columns: the row goes on after 5");
        row(",2.5,True,B,x", "column 1 (n): empty field");
        row("1,,True,B,x", "column 2 (d): empty field");
        row("1,2.5,,B,x", "column 3 (f): empty field");
        row("1,2.5,True,,x", "column 4 (s): empty field");
        row("\"1\",2.5,True,B,x", "column 1 (n): quoted field");
        row("1,\"2.5\",True,B,x", "column 2 (d): quoted field");
        row("1,2.5,\"True\",B,x", "column 3 (f): quoted field");
        row("1,2.5,True,\"B\",x", "column 4 (s): quoted field");
        row("1,2.5,True,B,\"x\"", "column 5 (t): quoted field");
        row("1,2.5,True,B,a\"b", "column 5 (t): quoted field");
        row("1,2.5\r,True,B,x", "column 2 (d): carriage return inside the row");
        row("1,2.5,True,B,x\ry", "column 5 (t): carriage return inside the row");
        row("1,2.5,True,B,x\r\r", "column 5 (t): carriage return inside the row");
        row("1,2.5,True,B,x\ty", "column 5 (t): control character");
        row("1,2.5,True,B,x\0y", "column 5 (t): control character", 16);
        row("1,2.5,True,B,x\x7Fy", "column 5 (t): control character");
        row("1a,2.5,True,B,x", "column 1 (n): not a number");
        row("a1,2.5,True,B,x", "column 1 (n): not a number");
        row("1.0,2.5,True,B,x", "column 1 (n): not a number");
        row("1 ,2.5,True,B,x", "column 1 (n): not a number");
        row(" 1,2.5,True,B,x", "column 1 (n): not a number");
        row("--1,2.5,True,B,x", "column 1 (n): not a number");
        row("-,2.5,True,B,x", "column 1 (n): not a number");
        row("1,2.5e3,True,B,x", "column 2 (d): not a number");
        row("1,2.,True,B,x", "column 2 (d): not a number");
        row("1,.5,True,B,x", "column 2 (d): not a number");
        row("1,2.5.1,True,B,x", "column 2 (d): not a number");
        row("1,2.5\0,True,B,x", "column 2 (d): not a number", 16);
        row("1,nan,True,B,x", "column 2 (d): not a number");
        row("1,12345678a,True,B,x", "column 2 (d): not a number");
        row("1,1234567\xB9,True,B,x", "column 2 (d): not a number");
        row("9223372036854775808,2.5,True,B,x", "column 1 (n): does not fit 63 bits before the point");
        row("-9223372036854775808,2.5,True,B,x", "column 1 (n): does not fit 63 bits before the point");
        row("99999999999999999999,2.5,True,B,x", "column 1 (n): does not fit 63 bits before the point");
        row("1,123456789012345678901234567890,True,B,x",
            "column 2 (d): does not fit 63 bits before the point");
        row("1,0.1234567890123456789,True,B,x", "column 2 (d): more than 18 fractional digits");
        row("1,0.12345678901234567890123456,True,B,x", "column 2 (d): more than 18 fractional digits");
        row("1,2.5,yes,B,x", "column 3 (f): neither true nor false");
        row("1,2.5,Truex,B,x", "column 3 (f): neither true nor false");
        row("1,2.5,Fals,B,x", "column 3 (f): neither true nor false");
        row("1,2.5,True,C,x", "column 4 (s): none of B, S, buy, sell, unknown");
        row("1,2.5,True,Bx,x", "column 4 (s): none of B, S, buy, sell, unknown");
        row("1,2.5,True,sells,x", "column 4 (s): none of B, S, buy, sell, unknown");
    }
    void rejects() {
        QFETCH(QByteArray, row);
        QFETCH(QString, reason);
        const TickSchema schema = *parseTickSchema("n:int,d:decimal,f:flag,s:side,t:text");
        const std::string good = "1,2.5,True,B,x\n";
        for (const char* feed : {"\n", "\r\n"}) {
            if (row.endsWith('\r') && feed[0] == '\r') {
                continue;  // the row has its carriage returns itself
            }
            const std::string text = good + row.toStdString() + feed + good;
            const TickTotals totals = scanAll(schema, text);
            QCOMPARE(totals.rows, 2U);
            QCOMPARE(totals.rejected, 1U);
            QCOMPARE(totals.firstReject.offset, good.size());
            QCOMPARE(QString::fromStdString(describeReject(schema, totals.firstReject)), reason);
            QCOMPARE(difference(schema, readPlainly(schema, text, false), totals), std::string());
        }
    }
    void timeRejects_data() {
        QTest::addColumn<QByteArray>("field");
        QTest::addColumn<QString>("reason");
        QTest::newRow("sign") << QByteArray("-1735689600000") << "not a number";
        QTest::newRow("plus") << QByteArray("+1735689600000") << "not a number";
        QTest::newRow("finer, ms") << QByteArray("1735689600000.0000000") << "finer than a nanosecond";
        QTest::newRow("finer, ns") << QByteArray("1735689600000000000.0") << "finer than a nanosecond";
        QTest::newRow("20 digits") << QByteArray("17356896000000000000") << "later than the year 2262";
        QTest::newRow("over 63 bits") << QByteArray("9223372036854775808") << "later than the year 2262";
        QTest::newRow("date") << QByteArray("2025-01-01") << "not a number";
        QTest::newRow("point") << QByteArray("1735689600.") << "not a number";
    }
    void timeRejects() {
        QFETCH(QByteArray, field);
        QFETCH(QString, reason);
        const TickSchema schema = *parseTickSchema("t:time,v:int");
        const TickTotals totals = scanAll(schema, field.toStdString() + ",1\n");
        QCOMPARE(totals.rejected, 1U);
        QCOMPARE(QString::fromStdString(describeReject(schema, totals.firstReject)),
                 "column 1 (t): " + reason);
    }

    void emptyLines() {
        const TickSchema schema = *parseTickSchema("v:int");
        QCOMPARE(scanAll(schema, "1\n\n\r\n\n").rejected, 0U);
        QCOMPARE(scanAll(schema, "\n\n").rows, 0U);
        QCOMPARE(scanAll(schema, "\n\n").rejected, 0U);
        const TickTotals between = scanAll(schema, "1\n\n\r\n2\n\nx\n\n");
        QCOMPARE(between.rows, 2U);
        QCOMPARE(between.rejected, 4U);
        QCOMPARE(between.firstReject.offset, 2U);
    }

    void rowsOfAnyLength_data() {
        QTest::addColumn<qsizetype>("length");
        QTest::addColumn<bool>("accepted");
        QTest::newRow("64 KiB") << qsizetype{65536} << true;
        QTest::newRow("64 KiB + 1") << qsizetype{65537} << false;
        QTest::newRow("64 KiB + 64") << qsizetype{65600} << false;
        QTest::newRow("64 KiB + 65") << qsizetype{65601} << false;
        QTest::newRow("5 MiB") << qsizetype{5 << 20} << false;
    }
    void rowsOfAnyLength() {
        QFETCH(qsizetype, length);
        QFETCH(bool, accepted);
        const TickSchema schema = *parseTickSchema("v:int,t:text");
        const std::string row = "7," + std::string(static_cast<std::size_t>(length) - 2, 'x');
        for (const std::string feed : {"\n", ""}) {
            const std::string text = "1,a\n" + row + feed + (feed.empty() ? "" : "2,b\n\n");
            const Reading expected = readPlainly(schema, text, false);
            QCOMPARE(expected.rejected, accepted ? 0U : 1U);
            for (const std::size_t span :
                 {std::size_t{63}, std::size_t{4096}, std::size_t{65536}, text.size()}) {
                const TickTotals totals =
                    scanInSpans(schema, text, false, span, bestTickScanner(makeTickPlan(schema)));
                QCOMPARE(difference(schema, expected, totals), std::string());
                if (!accepted) {
                    QCOMPARE(describeReject(schema, totals.firstReject),
                             std::string("row longer than 64 KiB"));
                }
            }
        }
    }
    void tooLongOutranksOtherFaults() {
        const TickSchema schema = *parseTickSchema("v:int,t:text");
        const std::string text = "x," + std::string(kMaxTickRow, 'x') + "\n1,b\n";
        for (const std::size_t span : {std::size_t{100}, text.size()}) {
            const TickTotals totals =
                scanInSpans(schema, text, false, span, bestTickScanner(makeTickPlan(schema)));
            QCOMPARE(totals.rows, 1U);
            QCOMPARE(describeReject(schema, totals.firstReject), std::string("row longer than 64 KiB"));
        }
    }

    void decimalTexts() {
        constexpr Int128 one = 1'000'000'000'000'000'000;
        QCOMPARE(decimalText(0, 0), std::string("0"));
        QCOMPARE(decimalText(0, -1), std::string("-0.000000000000000001"));
        QCOMPARE(decimalText(1, -1), std::string("0.999999999999999999"));
        QCOMPARE(decimalText(-1, 1), std::string("-0.999999999999999999"));
        QCOMPARE(decimalText(-1, one), std::string("0"));
        QCOMPARE(decimalText(5, one * 7 + one / 2), std::string("12.5"));
        const Int128 most = static_cast<Int128>(~Uint128{0} >> 1U);
        QCOMPARE(decimalText(most, 0), std::string("170141183460469231731687303715884105727"));
        QCOMPARE(decimalText(-most - 1, 0), std::string("-170141183460469231731687303715884105728"));
    }
};

QTEST_GUILESS_MAIN(TestTickRows)
#include "tst_tick_rows.moc"
