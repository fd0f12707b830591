#include "engine/workload/zstd_testing.h"
#include "workload/zstd_frames.h"

using namespace mmapscope;
using namespace mmapscope::testing;

class ZstdFramesTest : public QObject {
    Q_OBJECT

    const WorkloadType& zstd_ = *findWorkload("zstd");

    static std::vector<ZstdFrame> framesOf(const TestFile& file, FrameWalk* how = nullptr) {
        std::vector<ZstdFrame> frames;
        const auto opened = InputFile::open(file.path());
        const auto walk = walkFrames(*opened, file.facts().bytes, [&](const ZstdFrame& frame) {
            frames.push_back(frame);
            return true;
        });
        if (how != nullptr) {
            *how = *walk;
        }
        return frames;
    }

  private slots:
    void frameEndsAreLibzstds() {
        std::mt19937 random(1);
        QByteArray all;
        std::vector<std::uint64_t> ends;
        for (int i = 0; i < 60; ++i) {
            const QByteArray content = i % 3 == 0
                                           ? QByteArray(static_cast<qsizetype>(random() % 2'000'000), 'z')
                                           : mixedBytes(random() % 300'000, static_cast<std::uint32_t>(i));
            all += i % 7 == 6
                       ? skippableFrame(random() % 5000, random() % 16)
                       : zstdFrame(content,
                                   {.level = 1 + i % 5, .contentSize = i % 2 == 0, .checksum = i % 4 == 0});
            ends.push_back(static_cast<std::uint64_t>(all.size()));
        }
        FrameWalk walk;
        const auto frames = framesOf(TestFile(all), &walk);
        QVERIFY(!walk.broken.has_value());
        QCOMPARE(frames.size(), ends.size());
        for (std::size_t i = 0; i < frames.size(); ++i) {
            QCOMPARE(frames[i].end.count(), ends[i]);
            const auto begin = static_cast<qsizetype>(frames[i].begin.count());
            QCOMPARE(frames[i].skippable, i % 7 == 6);
            if (!frames[i].skippable) {
                const auto told = ZSTD_getFrameContentSize(all.constData() + begin,
                                                           static_cast<std::size_t>(all.size() - begin));
                QCOMPARE(frames[i].header.content.value_or(ZSTD_CONTENTSIZE_UNKNOWN), told);
                QCOMPARE(frames[i].header.checksum, i % 4 == 0);
            }
        }
    }

    void everyHeaderFormIsRead() {
        // Descriptor by descriptor, against libzstd's own reading of the size.
        for (unsigned descriptor = 0; descriptor < 256; ++descriptor) {
            if ((descriptor & 8U) != 0) {
                continue;  // reserved
            }
            const QByteArray bytes = QByteArray::fromHex("28b52ffd") +
                                     QByteArray(1, static_cast<char>(descriptor)) +
                                     QByteArray::fromHex("58010203040506070809101112131415");
            const auto header = parseFrameHeader(
                std::as_bytes(std::span(bytes.constData(), static_cast<std::size_t>(bytes.size()))));
            QVERIFY(header.has_value());
            const auto told =
                ZSTD_getFrameContentSize(bytes.constData(), static_cast<std::size_t>(bytes.size()));
            QCOMPARE(header->content.value_or(ZSTD_CONTENTSIZE_UNKNOWN), told);
            QCOMPARE(header->dictionary,
                     ZSTD_getDictID_fromFrame(bytes.constData(), static_cast<std::size_t>(bytes.size())));
            QVERIFY(!parseFrameHeader(std::as_bytes(std::span(bytes.constData(), header->length - 1)))
                         .has_value());
        }
    }

    void aBrokenWalkSaysWhere() {
        const QByteArray a = zstdFrame(mixedBytes(10'000, 2));
        FrameWalk walk;
        QCOMPARE(framesOf(TestFile(a + "junk at the end"), &walk).size(), 1U);
        QCOMPARE(walk.end.count(), static_cast<std::uint64_t>(a.size()));
        QVERIFY(walk.broken.has_value());
        QVERIFY(QString::fromStdString(*walk.broken).contains(QString("offset %1").arg(a.size())));
        QCOMPARE(framesOf(TestFile(a + a.chopped(1)), &walk).size(), 1U);
        QVERIFY(walk.broken.has_value());
    }

    void cutsAtFrameStartsByContent() {
        QByteArray all;
        std::vector<std::uint64_t> starts;
        for (std::uint32_t i = 0; i < 12; ++i) {
            starts.push_back(static_cast<std::uint64_t>(all.size()));
            all += zstdFrame(mixedBytes(50'000, i));
        }
        const TestFile file(all);
        const auto parameters = *parseParameters(zstd_.parameters, "");
        const auto ranges = zstd_.split(file.facts(), parameters, file.facts().bytes, 4);
        QVERIFY(ranges.has_value());
        for (std::size_t i = 0; i < 4; ++i) {
            QCOMPARE((*ranges)[i].begin.count(), starts[i * 3]);
        }
    }

    void whatCantBeSplitSaysWhy() {
        const auto reasonOf = [&](const QByteArray& bytes) {
            const TestFile file(bytes);
            const auto parameters = *parseParameters(zstd_.parameters, "");
            const auto one = zstd_.split(file.facts(), parameters, file.facts().bytes, 1);
            const auto two = zstd_.split(file.facts(), parameters, file.facts().bytes, 2);
            if (!one || two || two.error().kind != ErrorKind::unavailable) {
                return QStringLiteral("not refused");
            }
            return QString::fromStdString(two.error().message);
        };
        const QByteArray a = zstdFrame(mixedBytes(10'000, 3));
        QVERIFY(reasonOf(a).contains("one frame"));
        QVERIFY(reasonOf(skippableFrame(5) + a).contains("one frame"));
        QVERIFY(reasonOf(a + zstdFrame("x", {.contentSize = false})).contains("content size"));
    }

    void aBrokenTailBelongsToTheLastThread() {
        const QByteArray a = zstdFrame(mixedBytes(10'000, 4));
        const TestFile file(a + a + a.chopped(5));
        for (const unsigned threads : {1U, 2U, 3U}) {
            const auto result = runWorkload(zstd_, file, {.threads = threads});
            QVERIFY(!result.has_value());
            QVERIFY(QString::fromStdString(result.error().message).startsWith("truncated"));
        }
    }

    void limitMovesToAFrameEnd() {
        const QByteArray a = zstdFrame(mixedBytes(30'000, 5));
        const QByteArray b = zstdFrame(mixedBytes(60'000, 6));
        const TestFile file(skippableFrame(20) + a + b + b);
        const auto size = [](const QByteArray& bytes) { return static_cast<std::uint64_t>(bytes.size()); };
        const std::uint64_t first = 28 + size(a);
        const auto fit = [&](std::uint64_t limit) {
            return zstd_.fitLimit(file.facts(), *parseParameters(zstd_.parameters, ""), Bytes(limit));
        };
        QCOMPARE(fit(first)->count(), first);
        QCOMPARE(fit(first + 1)->count(), first);
        QCOMPARE(fit(first + size(b) - 1)->count(), first);
        QCOMPARE(fit(first + size(b))->count(), first + size(b));
        QCOMPARE(fit(size(file.bytes()))->count(), size(file.bytes()));
        for (const std::uint64_t tooSmall : {std::uint64_t{1}, std::uint64_t{28}, first - 1}) {
            const auto refused = fit(tooSmall);
            QVERIFY(!refused.has_value());
            QCOMPARE(refused.error().kind, ErrorKind::input);
            QVERIFY(QString::fromStdString(refused.error().message).contains(QString::number(first)));
        }
        QCOMPARE(textOf(runWorkload(zstd_, file, {.limit = *fit(first + 7)})),
                 std::string("bytes_out=30000 "));
    }

    void describesWhatHeadersTell() {
        const auto describe = [&](const QByteArray& bytes) {
            return QString::fromStdString(
                zstd_.describe(TestFile(bytes).facts(), *parseParameters(zstd_.parameters, "")));
        };
        const QByteArray a = zstdFrame(QByteArray(8 << 20, 'a'), {.windowLog = 21});
        const QString three = describe(a + a + a);
        QVERIFY2(three.startsWith("zstd, 3 frames, window 2 MiB, ") && three.contains(" → 24 MiB ("),
                 qPrintable(three));
        const QString unknown = describe(zstdFrame(QByteArray(1000, 'a'), {.contentSize = false}));
        QVERIFY2(unknown.startsWith("zstd, 1 frame, window") && !unknown.contains("→"), qPrintable(unknown));
        QVERIFY(describe(skippableFrame(4) + a).contains("1 frame and 1 skippable"));
        QVERIFY(describe(a + "junk").contains("no zstd frame at offset"));
        QVERIFY(describe("text").isEmpty());
        QVERIFY(describe({}).isEmpty());
    }

    void suggestsByContent() {
        const auto suggested = [](const QByteArray& bytes) {
            return QByteArray(suggestWorkload(TestFile(bytes).facts()).id.data());
        };
        const QByteArray a = zstdFrame("abc");
        QCOMPARE(suggested(a), QByteArray("zstd"));
        QCOMPARE(suggested(skippableFrame(12) + a), QByteArray("zstd"));
        QCOMPARE(suggested(skippableFrame(12)), QByteArray("zstd"));
        QCOMPARE(suggested(skippableFrame(12) + "text"), QByteArray("scan"));
        QCOMPARE(suggested({}), QByteArray("scan"));
        QCOMPARE(suggested(randomBytes(5000, 7)), QByteArray("scan"));
        QCOMPARE(suggested("time,price,size\n1719792000123,64123.45,0.5\n1719792000124,64123.46,0.25\n"),
                 QByteArray("ticks"));
    }
};

QTEST_GUILESS_MAIN(ZstdFramesTest)
#include "tst_zstd_frames.moc"
