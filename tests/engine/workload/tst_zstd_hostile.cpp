#include <thread>

#include "engine/workload/zstd_testing.h"

using namespace mmapscope;
using namespace mmapscope::testing;

class ZstdHostileTest : public QObject {
    Q_OBJECT

    const WorkloadType& zstd_ = *findWorkload("zstd");

    Result<Outcome> decode(const QByteArray& bytes, std::size_t span, const char* engine) {
        const auto parameters = parseParameters(zstd_.parameters, fmt::format("output=16KiB,{}", engine));
        const Range whole{Bytes(0), Bytes(static_cast<std::uint64_t>(bytes.size()))};
        auto workload = zstd_.create(*parameters, {whole, whole, "f", false, {}});
        const auto all = std::as_bytes(std::span(bytes.constData(), static_cast<std::size_t>(bytes.size())));
        if (auto status = feed(**workload, all, span); !status) {
            return tl::unexpected(status.error());
        }
        if (auto status = (*workload)->finish(); !status) {
            return tl::unexpected(status.error());
        }
        Workload* const one = workload->get();
        return one->outcome({&one, 1});
    }

    static void eachEngine() {
        QTest::addColumn<QByteArray>("engine");
        for (const char* engine : kEngines) {
            QTest::addRow("%s", engine) << QByteArray(engine);
        }
    }

  private slots:
    void noTruncationSucceeds_data() { eachEngine(); }
    void noTruncationSucceeds() {
        QFETCH(QByteArray, engine);
        const QByteArray a = zstdFrame(mixedBytes(3000, 1), {.checksum = true});
        const bool sized = QByteArray(QTest::currentDataTag()) == "engine=oneshot";
        const QByteArray b = zstdFrame(mixedBytes(9000, 2), {.contentSize = sized});
        const QByteArray all = a + skippableFrame(40) + b;
        const QList<qsizetype> ends{a.size(), a.size() + 48, all.size()};
        for (qsizetype length = 0; length <= all.size(); ++length) {
            const bool whole = ends.contains(length);
            for (const std::size_t span : {std::size_t{13}, SIZE_MAX}) {
                const auto result = decode(all.left(length), span, engine);
                QVERIFY2(result.has_value() == whole, qPrintable(QString("%1 bytes").arg(length)));
            }
        }
    }

    void mutationsGiveWhatLibzstdGives_data() {
        QTest::addColumn<QByteArray>("seed");
        const QByteArray text = QByteArray("1719792000123,64123.45,0.00125,B\n").repeated(60);
        QTest::addRow("text") << zstdFrame(text, {.level = 19});
        QTest::addRow("checksum") << zstdFrame(text, {.checksum = true});
        QTest::addRow("no size") << zstdFrame(text, {.contentSize = false});
        QTest::addRow("frames") << zstdFrame("short") + skippableFrame(9) + zstdFrame(text) + zstdFrame({});
        QTest::addRow("raw") << claimingFrame(200, randomBytes(200, 3)) +
                                    windowFrame(20, randomBytes(100, 4));
    }
    void mutationsGiveWhatLibzstdGives() {
        QFETCH(QByteArray, seed);
        std::mt19937 random(12'345);
        int good = 0;
        int bad = 0;
        for (int round = 0; round < 1500; ++round) {
            QByteArray bytes = seed;
            for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
                const auto at = static_cast<qsizetype>(random() % static_cast<unsigned>(bytes.size()));
                switch (random() % 5) {
                    case 0:
                        bytes.remove(at, 1);
                        break;
                    case 1:
                        bytes.insert(at, static_cast<char>(random()));
                        break;
                    case 2:
                        bytes = bytes.left(at + 1);
                        break;
                    default:
                        bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8)));
                }
                if (bytes.isEmpty()) {
                    break;
                }
            }
            const auto reference = referenceDecode(bytes);
            const std::size_t span = 1 + random() % 700;
            for (const char* engine : kEngines) {
                const auto result = decode(bytes, span, engine);
                // The messages hold no offset that depends on the spans.
                QCOMPARE(textOf(decode(bytes, SIZE_MAX, engine)), textOf(result));
                if (!result && result.error().kind == ErrorKind::unavailable) {
                    QVERIFY2(engine == kEngines.back() && oneshotRefuses(bytes), textOf(result).c_str());
                    continue;
                }
                if (!result && reference && engine == kEngines.back() &&
                    !oneCallDecodes(bytes, static_cast<std::size_t>(reference->size()))) {
                    continue;
                }
                QVERIFY2(result.has_value() == reference.has_value(),
                         fmt::format("{} span {} {}: {}", bytes.toHex().toStdString(), span, engine,
                                     textOf(result))
                             .c_str());
                if (result) {
                    QCOMPARE(numberOf(*result, "bytes_out"), static_cast<std::uint64_t>(reference->size()));
                }
                ++(result ? good : bad);
            }
        }
        QVERIFY(bad > 100);
    }

    void bombStopsAtOnce_data() {
        QTest::addColumn<QByteArray>("engine");
        // oneshot says that it can't: one call decodes the frame.
        QTest::addRow("stream") << QByteArray("stream");
        QTest::addRow("ring") << QByteArray("ring");
    }
    void bombStopsAtOnce() {
        QFETCH(QByteArray, engine);
        const QByteArray zeros(1 << 20, '\0');
        QByteArray bomb;
        {
            // 1 GiB of zeros in one frame of about 100 KiB.
            const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(),
                                                                                  ZSTD_freeCCtx);
            ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, 1);
            bomb.resize(1 << 20);
            ZSTD_outBuffer out{bomb.data(), static_cast<std::size_t>(bomb.size()), 0};
            for (int i = 0; i < 1024; ++i) {
                ZSTD_inBuffer in{zeros.constData(), static_cast<std::size_t>(zeros.size()), 0};
                ZSTD_compressStream2(context.get(), &out, &in, i == 1023 ? ZSTD_e_end : ZSTD_e_continue);
            }
            bomb.truncate(static_cast<qsizetype>(out.pos));
        }
        QVERIFY(bomb.size() < 200'000);
        const Range whole{Bytes(0), Bytes(static_cast<std::uint64_t>(bomb.size()))};
        Accounts accounts{std::stop_token()};
        std::stop_source stop;
        Status status;
        std::thread arm([&] {
            const ThreadAccount account(accounts);
            auto workload = zstd_.create(*parseParameters(zstd_.parameters, engine.toStdString()),
                                         {whole, whole, "bomb", false, stop.get_token()});
            status = (*workload)->consume(
                std::as_bytes(std::span(bomb.constData(), static_cast<std::size_t>(bomb.size()))));
        });
        while (accounts.totals().bytesOut == 0) {
            std::this_thread::yield();
        }
        stop.request_stop();
        const std::uint64_t atRequest = accounts.totals().bytesOut;
        arm.join();
        QVERIFY(!status.has_value());
        QCOMPARE(status.error().kind, ErrorKind::cancelled);
        // What is still decoded after the request is bounded by the distance of the checks, not by the file;
        // the rest is for a scheduler that ran this thread late.
        const std::uint64_t after = accounts.totals().bytesOut - atRequest;
        QVERIFY2(after < mib(512).count(), qPrintable(QString::number(after)));
    }

    void stopIsSeenEveryFewMebibytes() {
        std::stop_source stop;
        stop.request_stop();
        const QByteArray frame = zstdFrame(QByteArray(64 << 20, '\0'));
        const Range whole{Bytes(0), Bytes(static_cast<std::uint64_t>(frame.size()))};
        Accounts accounts{std::stop_token()};
        const ThreadAccount account(accounts);
        for (const char* parameters :
             {"", "output=4MiB", "output=1KiB", "staging=yes", "ring", "ring,staging=yes", "oneshot"}) {
            const std::uint64_t before = accounts.totals().bytesOut;
            auto workload = zstd_.create(*parseParameters(zstd_.parameters, parameters),
                                         {whole, whole, "f", false, stop.get_token()});
            const auto status = (*workload)->consume(
                std::as_bytes(std::span(frame.constData(), static_cast<std::size_t>(frame.size()))));
            QVERIFY(!status.has_value());
            QCOMPARE(status.error().kind, ErrorKind::cancelled);
            QVERIFY(accounts.totals().bytesOut - before <= mib(4).count());
        }
    }
};

QTEST_GUILESS_MAIN(ZstdHostileTest)
#include "tst_zstd_hostile.moc"
