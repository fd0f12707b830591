// Frames that were compressed with a dictionary.
#include <zdict.h>

#include "engine/workload/zstd_testing.h"

using namespace mmapscope;
using namespace mmapscope::testing;

namespace {

QByteArray sample(std::uint32_t seed) {
    std::mt19937 random(seed);
    QByteArray text;
    for (int i = 0; i < 30; ++i) {
        text += "{\"symbol\":\"BTCUSDT\",\"price\":\"" + QByteArray::number(random() % 100'000) +
                "\",\"quantity\":\"" + QByteArray::number(random() % 1000) + "\",\"maker\":true}\n";
    }
    return text;
}

QByteArray trained(std::uint32_t seed) {
    QByteArray samples;
    std::vector<std::size_t> sizes;
    for (std::uint32_t i = 0; i < 200; ++i) {
        const QByteArray one = sample(seed + i);
        samples += one;
        sizes.push_back(static_cast<std::size_t>(one.size()));
    }
    QByteArray dictionary(8192, '\0');
    const std::size_t length =
        ZDICT_trainFromBuffer(dictionary.data(), static_cast<std::size_t>(dictionary.size()),
                              samples.constData(), sizes.data(), static_cast<unsigned>(sizes.size()));
    if (ZDICT_isError(length) != 0) {
        qFatal("the test's dictionary failed: %s", ZDICT_getErrorName(length));
    }
    dictionary.truncate(static_cast<qsizetype>(length));
    return dictionary;
}

unsigned idOf(const QByteArray& dictionary) {
    return ZDICT_getDictID(dictionary.constData(), static_cast<std::size_t>(dictionary.size()));
}

}  // namespace

class ZstdDictionaryTest : public QObject {
    Q_OBJECT

    const WorkloadType& zstd_ = *findWorkload("zstd");
    const QByteArray dictionary_ = trained(1);

    Result<Outcome> decode(const QByteArray& frames, const std::string& dictionaryPath, const char* engine,
                           std::size_t span = SIZE_MAX, bool resolve = true) {
        return runWorkload(zstd_, TestFile(frames),
                           {.parameters = fmt::format("{},dictionary={}", engine, dictionaryPath),
                            .span = span,
                            .digest = true,
                            .resolve = resolve});
    }

  private slots:
    void framesDecodeWithTheirDictionary_data() {
        QTest::addColumn<QByteArray>("dictionary");
        QTest::addRow("trained") << dictionary_;
        QTest::addRow("raw content") << sample(77);
    }
    void framesDecodeWithTheirDictionary() {
        QFETCH(QByteArray, dictionary);
        const TestFile file(dictionary);
        QByteArray content;
        QByteArray frames;
        for (std::uint32_t i = 0; i < 5; ++i) {
            // Longer than the window once, so that the ring comes round and the dictionary falls behind.
            const QByteArray part =
                i == 3 ? sample(i) + mixedBytes(900'000, i) + sample(i) : sample(1000 + i);
            content += part;
            frames += zstdFrame(part, {.windowLog = 17, .checksum = true, .dictionary = dictionary});
        }
        for (const char* engine : kEngines) {
            for (const std::size_t span : {std::size_t{1}, std::size_t{10'000}, SIZE_MAX}) {
                const auto result = decode(frames, file.path(), engine, span);
                QVERIFY2(result.has_value(), textOf(result).c_str());
                QCOMPARE(numberOf(*result, "bytes_out"), static_cast<std::uint64_t>(content.size()));
                // And frames that need none still decode.
                QVERIFY(decode(zstdFrame(content), file.path(), engine, span).has_value());
            }
        }
    }

    void aMismatchIsNamed() {
        const QByteArray other = trained(5000);
        QVERIFY(idOf(other) != idOf(dictionary_));
        const TestFile right(dictionary_);
        const TestFile wrong(other);
        const QByteArray frame = zstdFrame(sample(9), {.dictionary = dictionary_});
        for (const char* engine : kEngines) {
            QVERIFY(decode(frame, right.path(), engine).has_value());
            for (const bool resolve : {true, false}) {
                const auto result = decode(frame, wrong.path(), engine, SIZE_MAX, resolve);
                QVERIFY(!result.has_value());
                const QString message = QString::fromStdString(result.error().message);
                QVERIFY2(message.contains(QString("needs dictionary ID %1").arg(idOf(dictionary_))) &&
                             message.contains(QString("given has ID %1").arg(idOf(other))),
                         qPrintable(message));
                const auto none = decode(frame, "", engine, SIZE_MAX, resolve);
                QVERIFY(!none.has_value());
                QVERIFY(QString::fromStdString(none.error().message).contains("dictionary=PATH"));
            }
        }
    }

    void whatIsNoDictionaryIsRefusedInOneLine() {
        const QByteArray frame = zstdFrame(sample(9));
        const auto messageOf = [&](const std::string& path, bool resolve) {
            const auto result = decode(frame, path, "stream", SIZE_MAX, resolve);
            return result ? QStringLiteral("success") : QString::fromStdString(result.error().message);
        };
        QByteArray damaged = dictionary_;
        damaged.replace(8, damaged.size() - 8, QByteArray(damaged.size() - 8, '\xFF'));
        const TestFile empty{QByteArray()};
        const TestFile broken(damaged);
        const TestFile large(QByteArray("x"));
        QVERIFY(QFile::resize(QString::fromStdString(large.path()), (32 << 20) + 1));
        for (const bool resolve : {true, false}) {
            for (const QString& message :
                 {messageOf("/nowhere/at/all", resolve), messageOf(empty.path(), resolve),
                  messageOf(broken.path(), resolve), messageOf(large.path(), resolve),
                  messageOf("/tmp", resolve), messageOf("/dev/zero", resolve)}) {
                QVERIFY2(message.contains("dictionary") && !message.contains('\n'), qPrintable(message));
            }
            QVERIFY(messageOf(broken.path(), resolve).contains("damaged"));
            QVERIFY(messageOf(large.path(), resolve).contains("32 MiB"));
        }
    }

    void itsMemoryIsCounted() {
        const QByteArray raw = randomBytes(3'000'000, 5);
        const TestFile file(raw);
        const TestFile frame(zstdFrame("abc"));
        const auto parameters = *parseParameters(zstd_.parameters, "dictionary=" + file.path());
        Accounts accounts{std::stop_token()};
        {
            const ThreadAccount account(accounts);
            const Range range{Bytes(0), frame.facts().bytes};
            QVERIFY(zstd_.create(parameters, {range, range, "f", false, {}}).has_value());
        }
        QVERIFY(accounts.totals().heapAllocated >= 3'000'000);
    }
};

QTEST_GUILESS_MAIN(ZstdDictionaryTest)
#include "tst_zstd_dictionary.moc"
