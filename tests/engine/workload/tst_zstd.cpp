#include <xxhash.h>

#include <QDirIterator>
#include <QProcess>
#include <QStandardPaths>

#include "engine/workload/zstd_testing.h"

using namespace mmapscope;
using namespace mmapscope::testing;

namespace {

std::string xxh64(const QByteArray& bytes) {
    return fmt::format("{:016x}", XXH64(bytes.constData(), static_cast<std::size_t>(bytes.size()), 0));
}

QByteArray joined(const QList<QByteArray>& parts) {
    return parts.join();
}

}  // namespace

class ZstdTest : public QObject {
    Q_OBJECT

    const WorkloadType& zstd_ = *findWorkload("zstd");

    void compareWithReference(const QByteArray& compressed) {
        const auto reference = referenceDecode(compressed);
        const TestFile file(compressed);
        std::map<std::string, std::string> first;
        for (const std::size_t span : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{63},
                                       std::size_t{4096}, std::size_t{65'537}, SIZE_MAX}) {
            if (span < 63 && compressed.size() > 200'000) {
                continue;
            }
            for (const char* parameters :
                 {"", "output=1KiB", "staging=yes", "engine=ring", "engine=ring,staging=yes",
                  "engine=oneshot", "engine=oneshot,staging=yes"}) {
                const auto result = runWorkload(
                    zstd_, file, {.parameters = parameters, .span = span, .digest = true, .resolve = false});
                const std::string text = textOf(result);
                const std::string engine = textOf(*parseParameters(zstd_.parameters, parameters), "engine");
                // Errors too: the same words whatever the spans.
                QCOMPARE(text, first.try_emplace(engine, text).first->second);
                if (!result && result.error().kind == ErrorKind::unavailable) {
                    QVERIFY2(engine == "oneshot" && oneshotRefuses(compressed), text.c_str());
                    continue;
                }
                QVERIFY2(result.has_value() == reference.has_value(), text.c_str());
                if (reference) {
                    QCOMPARE(numberOf(*result, "bytes_out"), static_cast<std::uint64_t>(reference->size()));
                    QCOMPARE(wordOf(*result, "xxh64"), xxh64(*reference));
                } else {
                    QCOMPARE(result.error().kind, ErrorKind::input);
                }
            }
        }
    }

  private slots:
    void decodesAsTheReference_data() {
        QTest::addColumn<QByteArray>("compressed");
        QTest::addColumn<bool>("good");
        const QByteArray small = mixedBytes(20'000, 1);
        const QByteArray a = zstdFrame(small);
        const QByteArray b = zstdFrame(mixedBytes(300'000, 2), {.level = 1, .contentSize = false});
        const QByteArray empty = zstdFrame({});
        const auto row = [](const char* name, const QByteArray& bytes, bool good) {
            QTest::addRow("%s", name) << bytes << good;
        };
        row("one frame", a, true);
        row("several, an empty one between", joined({a, empty, b, empty, empty, a}), true);
        row("empty frame alone", empty, true);
        row("skippable first", joined({skippableFrame(100), a}), true);
        row("skippable between and last", joined({a, skippableFrame(0, 15), b, skippableFrame(70'000, 7)}),
            true);
        row("only skippable", joined({skippableFrame(12), skippableFrame(0)}), true);
        row("checksums", zstdFrame(small, {.checksum = true}), true);
        row("no content size", b, true);
        row("level 19", zstdFrame(mixedBytes(1'000'000, 3), {.level = 19}), true);
        row("negative level", zstdFrame(mixedBytes(1'000'000, 4), {.level = -5}), true);
        row("window 2^27", windowFrame(27, small), true);
        row("window 2^27 and an eighth", windowFrame(27, small, 1), false);
        row("window 2^28", windowFrame(28, small), false);
        row("window 2^31", windowFrame(31, small), false);
        row("window 2^41", windowFrame(41, small, 7), false);
        row("a window too large, in the second frame", joined({a, windowFrame(28, small)}), false);
        row("true claim", claimingFrame(20'000, small), true);
        row("claims terabytes", claimingFrame(std::uint64_t{4} << 40U, small), false);
        row("claims 2^64 - 1, which libzstd reads as unknown", claimingFrame(UINT64_MAX, small), true);
        row("claims too little", claimingFrame(19'999, small), false);
        row("nothing", {}, false);
        row("three bytes", a.left(3), false);
        row("without its last 10 bytes", a.chopped(10), false);
        row("half", a.left(a.size() / 2), false);
        row("a frame, then junk", a + "this is not zstd at all", false);
        row("a frame, then two bytes of junk", a + "xy", false);
        row("a frame, then two bytes of a frame", a + b.left(2), false);
        row("a frame, then half a skippable frame", a + skippableFrame(100).left(50), false);
        row("plain text", "time,price,size\n1,2,3\n", false);
        QByteArray damaged = zstdFrame(small, {.checksum = true});
        damaged[damaged.size() - 1] = static_cast<char>(damaged[damaged.size() - 1] ^ 1);
        row("wrong checksum", damaged, false);
        QByteArray reserved = a;
        reserved[4] = static_cast<char>(reserved[4] | 8);
        row("reserved bit", reserved, false);
        QDirIterator files(MMAPSCOPE_TEST_DATA "/zstd", {"*.zst"}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray bytes = file.readAll();
            QTest::addRow("%s", qPrintable(file.fileName())) << bytes << referenceDecode(bytes).has_value();
        }
    }
    void decodesAsTheReference() {
        QFETCH(QByteArray, compressed);
        QFETCH(bool, good);
        QCOMPARE(referenceDecode(compressed).has_value(), good);
        compareWithReference(compressed);
    }

    void filesDecodeAsTheZstdProgramDoes() {
        const QString program = QStandardPaths::findExecutable("zstd");
        if (program.isEmpty()) {
            QSKIP("the zstd program isn't installed");
        }
        int files = 0;
        QDirIterator all(MMAPSCOPE_TEST_DATA "/zstd", {"*.zst"}, QDir::Files, QDirIterator::Subdirectories);
        while (all.hasNext()) {
            QFile input(all.next());
            QVERIFY(input.open(QIODevice::ReadOnly));
            QProcess process;
            process.start(program, {"-dc", input.fileName()});
            QVERIFY(process.waitForFinished());
            const QByteArray decoded = process.readAllStandardOutput();
            const auto result = runWorkload(zstd_, TestFile(input.readAll()), {.digest = true});
            QVERIFY2(result.has_value() == (process.exitCode() == 0), textOf(result).c_str());
            if (result) {
                QCOMPARE(wordOf(*result, "xxh64"), xxh64(decoded));
            }
            ++files;
        }
        QVERIFY(files >= 3);
    }

    void largeWindowsAreAllowedByOption() {
        const QByteArray content = mixedBytes(50'000, 5);
        for (const unsigned log : {28U, 31U}) {
            const TestFile file(windowFrame(log, content));
            const auto refused = runWorkload(zstd_, file, {});
            QVERIFY(!refused.has_value());
            const QString message = QString::fromStdString(refused.error().message);
            QVERIFY2(message.contains(log == 28 ? "window of 256 MiB" : "window of 2 GiB"),
                     qPrintable(message));
            QVERIFY2(message.contains(QString("window-log=%1").arg(log)), qPrintable(message));
            for (const char* engine : {"stream", "ring"}) {
                const auto allowed = runWorkload(
                    zstd_, file, {.parameters = fmt::format("engine={},window-log={}", engine, log)});
                QCOMPARE(textOf(allowed), std::string("bytes_out=50000 "));
            }
        }
        const auto never =
            runWorkload(zstd_, TestFile(windowFrame(31, content, 1)), {.parameters = "window-log=31"});
        QVERIFY(!never.has_value());
        QVERIFY(QString::fromStdString(never.error().message).contains("at most 2 GiB"));
    }

    void encodersLongWindowsDecode() {
        const QByteArray content = mixedBytes(400'000, 6);
        const QByteArray compressed = zstdFrame(content, {.level = 1, .windowLog = 27, .contentSize = false});
        compareWithReference(compressed);
        const TestFile file(zstdFrame(content, {.level = 1, .windowLog = 28, .contentSize = false}));
        QVERIFY(!runWorkload(zstd_, file, {}).has_value());
        QCOMPARE(textOf(runWorkload(zstd_, file, {.parameters = "window-log=28"})),
                 std::string("bytes_out=400000 "));
    }

    void dictionaryIsNamed() {
        // A valid dictionary needs entropy tables; the ID in the frame header is all a decoder looks at
        // first.
        const QByteArray content = "some bytes";
        const QByteArray frame =
            QByteArray::fromHex("28b52ffd03") + QByteArray(1, static_cast<char>(10U << 3U)) +
            littleEndianBytes(123'456'789, 4) +
            littleEndianBytes((static_cast<std::uint64_t>(content.size()) << 3U) | 1U, 3) + content;
        QVERIFY(!referenceDecode(frame).has_value());
        for (const bool resolve : {true, false}) {
            const auto result = runWorkload(zstd_, TestFile(frame), {.resolve = resolve});
            QVERIFY(!result.has_value());
            QVERIFY2(QString::fromStdString(result.error().message).contains("dictionary ID 123456789"),
                     result.error().message.c_str());
        }
    }

    void errorsNameOffsetsAndFrames() {
        const QByteArray a = zstdFrame(mixedBytes(20'000, 7));
        const QByteArray b = zstdFrame(mixedBytes(30'000, 8), {.checksum = true});
        const auto messageOf = [&](const QByteArray& bytes) {
            const auto result = runWorkload(zstd_, TestFile(bytes), {});
            return result ? QStringLiteral("success") : QString::fromStdString(result.error().message);
        };
        const QString cut = messageOf(a + b.chopped(10));
        QVERIFY2(cut.startsWith("truncated") && cut.contains(QString::number(a.size() + b.size() - 10)) &&
                     cut.contains(QString("begins at offset %1").arg(a.size())),
                 qPrintable(cut));
        const QString junk = messageOf(a + "and then some text");
        QVERIFY2(
            junk.contains(QString("no zstd frame at offset %1").arg(a.size())) && junk.contains("plain text"),
            qPrintable(junk));
        QByteArray wrong = a + b;
        wrong[wrong.size() - 2] = static_cast<char>(wrong[wrong.size() - 2] ^ 4);
        const QString damaged = messageOf(wrong);
        QVERIFY2(
            damaged.contains(QString("begins at offset %1").arg(a.size())) && damaged.contains("checksum"),
            qPrintable(damaged));
        QVERIFY(messageOf({}).contains("empty file"));
        QVERIFY(messageOf("abc").contains("3 bytes"));
    }

    void otherFormatsAreNamed_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("name");
        QTest::addRow("gzip") << QByteArray::fromHex("1f8b08000000000000034b4c4a06") << "gzip";
        QTest::addRow("xz") << QByteArray::fromHex("fd377a585a000004e6d6b446") << "xz";
        QTest::addRow("bzip2") << QByteArray("BZh91AY&SY") << "bzip2";
        QTest::addRow("lz4") << QByteArray::fromHex("04224d186440a7") << "lz4";
        QTest::addRow("zip") << QByteArray::fromHex("504b03041400") << "zip";
        QTest::addRow("text") << QByteArray("price,size\r\n1,2\r\n") << "plain text";
        QTest::addRow("UTF-8 text") << QByteArray("Grüße\n") << "plain text";
        QTest::addRow("skippable, then gzip")
            << skippableFrame(10) + QByteArray::fromHex("1f8b0800") << "gzip";
        QTest::addRow("unknown") << QByteArray::fromHex("00010203") << "00 01 02 03";
    }
    void otherFormatsAreNamed() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, name);
        const TestFile file(bytes);
        const auto result = zstd_.resolve(file.facts(), *parseParameters(zstd_.parameters, ""));
        QVERIFY(!result.has_value());
        QCOMPARE(result.error().kind, ErrorKind::input);
        QVERIFY2(QString::fromStdString(result.error().message).contains(name),
                 result.error().message.c_str());
    }

    void threadsGiveTheSameOutcome_data() {
        QTest::addColumn<QByteArray>("compressed");
        QByteArray equal;
        QByteArray uneven = skippableFrame(500);
        for (std::uint32_t i = 0; i < 7; ++i) {
            equal += zstdFrame(mixedBytes(100'000, i));
            uneven += zstdFrame(mixedBytes(i * i * 20'000, i), {.checksum = true}) + skippableFrame(i);
        }
        QTest::addRow("equal frames") << equal;
        QTest::addRow("uneven, empty and skippable") << uneven;
        QTest::addRow("two") << zstdFrame(mixedBytes(1000, 9)) + zstdFrame(mixedBytes(500'000, 10));
        QTest::addRow("two empty") << zstdFrame({}) + zstdFrame({});
    }
    void threadsGiveTheSameOutcome() {
        QFETCH(QByteArray, compressed);
        const TestFile file(compressed);
        const auto decoded = referenceDecode(compressed, 4096);
        QVERIFY(decoded.has_value());
        std::string frames;
        for (const unsigned threads : {1U, 2U, 3U, 5U, 12U}) {
            for (const char* engine : kEngines) {
                const auto result = runWorkload(
                    zstd_, file, {.parameters = engine, .span = 10'000, .threads = threads, .digest = true});
                QVERIFY2(result.has_value(), textOf(result).c_str());
                QCOMPARE(numberOf(*result, "bytes_out"), static_cast<std::uint64_t>(decoded->size()));
                QCOMPARE(wordOf(*result, "xxh64"), threads == 1 ? xxh64(*decoded) : std::string("absent"));
                frames = frames.empty() ? wordOf(*result, "frames_xxh64") : frames;
                QCOMPARE(wordOf(*result, "frames_xxh64"), frames);
            }
        }
    }

    void heapIsCounted() {
        const TestFile file(claimingFrame(std::uint64_t{8} << 40U, mixedBytes(20'000, 11)));
        for (const char* engine : {"stream", "ring"}) {
            Accounts accounts{std::stop_token()};
            {
                const ThreadAccount account(accounts);
                QVERIFY(!runWorkload(zstd_, file, {.parameters = engine}).has_value());
            }
            const AccountTotals totals = accounts.totals();
            // The context, the output buffer, a window of 1 MiB and its blocks: counted, and nothing like 8
            // TiB.
            QVERIFY(totals.heapAllocated > mib(1).count());
            QVERIFY(totals.heapAllocated < mib(4).count());
        }
    }

    void oneshotAllocatesWhatTheBytesCanMake() {
        // 1 GiB is claimed, and the one block of the frame can hold 128 KiB.
        const auto heapOf = [&](const QByteArray& bytes, std::size_t span, ErrorKind kind) {
            Accounts accounts{std::stop_token()};
            {
                const ThreadAccount account(accounts);
                const auto result = runWorkload(
                    zstd_, TestFile(bytes), {.parameters = "engine=oneshot", .span = span, .resolve = false});
                if (!result && result.error().kind != kind) {
                    qFatal("%s", textOf(result).c_str());
                }
            }
            return accounts.totals().heapAllocated;
        };
        QVERIFY(heapOf(claimingFrame(gib(1).count(), mixedBytes(20'000, 11)), SIZE_MAX, ErrorKind::input) <
                mib(1).count());
        QVERIFY(heapOf(claimingFrame(gib(1).count(), mixedBytes(20'000, 11)), 100, ErrorKind::input) <
                mib(2).count());
        // More than any memory: refused with figures, before anything is allocated.
        const QByteArray huge = claimingFrame(std::uint64_t{8} << 40U, mixedBytes(20'000, 11));
        QVERIFY(heapOf(huge, SIZE_MAX, ErrorKind::unavailable) < mib(1).count());
        const auto refused = runWorkload(zstd_, TestFile(huge), {.parameters = "oneshot"});
        QVERIFY2(!refused && refused.error().kind == ErrorKind::unavailable &&
                     QString::fromStdString(refused.error().message).contains("needs 8 TiB"),
                 textOf(refused).c_str());
        // In place where the span holds the frame; gathered, and counted, where it doesn't.
        const QByteArray random = zstdFrame(randomBytes(4'000'000, 13));
        const std::uint64_t inPlace = heapOf(random, SIZE_MAX, ErrorKind::input);
        const std::uint64_t gathered = heapOf(random, 100'000, ErrorKind::input);
        QVERIFY(inPlace >= 4'000'000 && inPlace < 5'000'000);
        QVERIFY(gathered >= inPlace + 4'000'000);
    }

    void oneshotNeedsTheSize() {
        const QByteArray unsized = zstdFrame("x", {.contentSize = false});
        for (const bool resolve : {true, false}) {
            const auto result =
                runWorkload(zstd_, TestFile(unsized), {.parameters = "oneshot", .resolve = resolve});
            QVERIFY(!result && result.error().kind == ErrorKind::unavailable);
            QVERIFY(QString::fromStdString(result.error().message).contains("at offset 0 doesn't state"));
        }
    }

    void bytesOutAreCounted() {
        const TestFile file(zstdFrame(mixedBytes(700'000, 12)) + zstdFrame("12345"));
        for (const char* parameters :
             {"", "staging=yes", "ring", "ring,staging=yes", "oneshot", "oneshot,staging=yes"}) {
            Accounts accounts{std::stop_token()};
            {
                const ThreadAccount account(accounts);
                QVERIFY(runWorkload(zstd_, file, {.parameters = parameters}).has_value());
            }
            QCOMPARE(accounts.totals().bytesOut, 700'005U);
        }
    }
};

QTEST_GUILESS_MAIN(ZstdTest)
#include "tst_zstd.moc"
