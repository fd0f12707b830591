#include <QtTest>

#include "core/text.h"

using namespace mmapscope;
using namespace std::chrono_literals;

class TestText : public QObject {
    Q_OBJECT
  private slots:
    void parsesSizes_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<quint64>("bytes");
        QTest::newRow("plain") << "4096" << quint64{4096};
        QTest::newRow("zero") << "0" << quint64{0};
        QTest::newRow("KiB") << "64KiB" << quint64{65536};
        QTest::newRow("case and space") << "64 kib" << quint64{65536};
        QTest::newRow("fraction") << "1.5GiB" << quint64{1610612736};
        QTest::newRow("B") << "17B" << quint64{17};
        QTest::newRow("largest") << "18446744073709551615" << quint64{UINT64_MAX};
    }
    void parsesSizes() {
        QFETCH(QString, text);
        QFETCH(quint64, bytes);
        const auto parsed = parseBytes(text.toStdString());
        QVERIFY2(parsed.has_value(), parsed ? "" : parsed.error().message.c_str());
        QCOMPARE(parsed->count(), bytes);
    }

    void refusesSizes_data() {
        QTest::addColumn<QString>("text");
        for (const char* bad : {"", "-1", "1K", "1M", "64 GB", "1.5", "1.", "x", "1..5KiB", "1 KiB2", " 5",
                                "5\n", "18446744073709551616", "17000000TiB", "99999999999999999999GiB"}) {
            QTest::newRow(bad) << bad;
        }
    }
    void refusesSizes() {
        QFETCH(QString, text);
        const auto parsed = parseBytes(text.toStdString());
        QVERIFY(!parsed.has_value());
        QCOMPARE(parsed.error().kind, ErrorKind::usage);
        QVERIFY(!QString::fromStdString(parsed.error().message).contains('\n'));
    }

    void exactFormIsReadBack() {
        for (const std::uint64_t n :
             {0ULL, 1ULL, 1023ULL, 1024ULL, 4095ULL, 65536ULL, (3ULL << 30) + 1, 1ULL << 40}) {
            QCOMPARE(parseBytes(formatBytesExact(Bytes(n)))->count(), n);
        }
        QCOMPARE(formatBytesExact(kib(64)), std::string("64KiB"));
    }

    void formatsForPeople() {
        QCOMPARE(formatBytes(Bytes(4095)), std::string("4 KiB"));
        QCOMPARE(formatBytes(Bytes(1000)), std::string("1000 B"));
        QCOMPARE(formatBytes(Bytes(134742016)), std::string("128.5 MiB"));
        QCOMPARE(formatRate(842.0 * 1048576), std::string("842 MiB/s"));
        QCOMPARE(formatRate(5.128 * 1073741824), std::string("5.13 GiB/s"));
        QCOMPARE(formatDuration(12345us), std::string("12.3 ms"));
        QCOMPARE(formatDuration(870us), std::string("870 µs"));
        QCOMPARE(formatDuration(1420ms), std::string("1.42 s"));
        QCOMPARE(formatDuration(125s), std::string("2 min 5 s"));
        QCOMPARE(formatDuration(-5ms), std::string("-5.00 ms"));
    }

    void sizesThatDifferReadDifferently() {
        QCOMPARE(formatBytesApart(mib(24), mib(24) + Bytes(1)),
                 std::pair(std::string("25165824 bytes"), std::string("25165825 bytes")));
        QCOMPARE(formatBytesApart(mib(24), mib(25)), std::pair(std::string("24 MiB"), std::string("25 MiB")));
        QCOMPARE(formatBytesApart(mib(24), mib(24)), std::pair(std::string("24 MiB"), std::string("24 MiB")));
    }

    void controlCharactersDontReachTheTerminal() {
        QCOMPARE(printable("a\x1b[31m\nb"), std::string("a\\x1b[31m\\x0ab"));
        QCOMPARE(printable("ünï 日本 😀"), std::string("ünï 日本 😀"));
        std::string deep;
        for (int i = 0; i < 1000; ++i) {
            deep += "/ü";
        }
        const std::string shown = printable("no " + deep + ": gone");
        QVERIFY2(shown.size() < 360, shown.c_str());
        QVERIFY(shown.starts_with("no /ü/ü") && shown.ends_with("/ü/ü: gone"));
        QVERIFY(QString::fromStdString(shown).toStdString() == shown);
        QVERIFY(!QString::fromStdString(shown).contains(QChar::ReplacementCharacter));
        // Controls above 0x7f, as bytes and as UTF-8; a line separator; text turned around.
        QCOMPARE(printable("\x9b"
                           "31m"),
                 std::string("\\x9b31m"));
        QCOMPARE(printable("\xc2\x9b"
                           "31m"),
                 std::string("\\xc2\\x9b31m"));
        QCOMPARE(printable("a\xe2\x80\xa8z"), std::string("a\\xe2\\x80\\xa8z"));
        QCOMPARE(printable("\xe2\x80\xaegpj.zst"), std::string("\\xe2\\x80\\xaegpj.zst"));
        // Not UTF-8: cut short, overlong, a surrogate, too large, a lone continuation.
        QCOMPARE(printable("\xe6\x97"), std::string("\\xe6\\x97"));
        QCOMPARE(printable("\xc0\xaf"
                           "z"),
                 std::string("\\xc0\\xafz"));
        QCOMPARE(printable("\xed\xa0\x80"), std::string("\\xed\\xa0\\x80"));
        QCOMPARE(printable("\xf4\x90\x80\x80"), std::string("\\xf4\\x90\\x80\\x80"));
        QCOMPARE(printable("a\xff"
                           "b"),
                 std::string("a\\xff"
                             "b"));
    }
};

QTEST_GUILESS_MAIN(TestText)
#include "tst_text.moc"
