#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <QTest>
#include <array>
#include <thread>

#include "core/unique_fd.h"
#include "run/frames.h"

using namespace mmapscope;

namespace {

std::vector<Sample> someSamples(std::size_t count) {
    std::vector<Sample> samples(count);
    for (std::size_t i = 0; i < count; ++i) {
        samples[i].tNs = static_cast<std::int64_t>(i);
        samples[i].bytesIn = i * 4096;
    }
    return samples;
}

std::string header(std::uint32_t length, std::uint16_t type) {
    std::string bytes;
    for (unsigned i = 0; i < 4; ++i) {
        bytes.push_back(static_cast<char>(length >> 8U * i));
    }
    bytes.push_back(static_cast<char>(type));
    bytes.push_back(static_cast<char>(type >> 8U));
    return bytes;
}

}  // namespace

class TestFrames : public QObject {
    Q_OBJECT
  private slots:
    void aFrameInTheMiddleOfAnything_data() {
        QTest::addColumn<int>("piece");
        for (const int piece : {1, 2, 5, 6, 7, 64, 100000}) {
            QTest::addRow("%d bytes at a time", piece) << piece;
        }
    }

    void aFrameInTheMiddleOfAnything() {
        QFETCH(int, piece);
        const std::string payload(1000, 'x');
        std::string stream = encodeFrame(FrameType::hello, "{}") + encodeFrame(FrameType::stop, "") +
                             encodeFrame(FrameType::record, payload) + encodeFrame(FrameType::error, "no");
        FrameReader reader;
        std::vector<Frame> frames;
        for (std::size_t at = 0; at < stream.size(); at += static_cast<std::size_t>(piece)) {
            const auto part = std::string_view(stream).substr(at, static_cast<std::size_t>(piece));
            reader.feed({part.data(), part.size()});
            for (;;) {
                auto frame = reader.next();
                QVERIFY(frame);
                if (!*frame) {
                    break;
                }
                frames.push_back(std::move(**frame));
            }
        }
        QCOMPARE(frames.size(), std::size_t{4});
        QVERIFY(frames[0].type == FrameType::hello && frames[0].payload == "{}");
        QVERIFY(frames[1].type == FrameType::stop && frames[1].payload.empty());
        QVERIFY(frames[2].type == FrameType::record && frames[2].payload == payload);
        QVERIFY(frames[3].type == FrameType::error && frames[3].payload == "no");
        QVERIFY(!reader.midFrame());
    }

    void garbageIsNamed_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("named");
        QTest::newRow("text") << QByteArray("Welcome to the machine\n") << QByteArray("unknown type");
        QTest::newRow("zeros") << QByteArray(16, '\0') << QByteArray("unknown type 0");
        QTest::newRow("ones") << QByteArray(16, '\xff') << QByteArray("unknown type 65535");
        QTest::newRow("type 13") << QByteArray::fromStdString(header(0, 13)) << QByteArray("unknown type 13");
        QTest::newRow("stop with payload") << QByteArray::fromStdString(header(1, 4)) << QByteArray("stop");
        QTest::newRow("huge record") << QByteArray::fromStdString(header(0xFFFFFFFFU, 5))
                                     << QByteArray("4294967295");
        QTest::newRow("huge hello") << QByteArray::fromStdString(header(16385, 1))
                                    << QByteArray("at most 16384");
    }

    void garbageIsNamed() {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, named);
        FrameReader reader;
        reader.feed({bytes.constData(), static_cast<std::size_t>(bytes.size())});
        const auto frame = reader.next();
        QVERIFY(!frame);
        QVERIFY(frame.error().kind == ErrorKind::failed);
        QVERIFY2(frame.error().message.find(named.toStdString()) != std::string::npos,
                 frame.error().message.c_str());
    }

    void aStreamThatStopsInAFrameIsSeen() {
        FrameReader reader;
        const std::string frame = encodeFrame(FrameType::record, "abcdef");
        reader.feed({frame.data(), frame.size() - 1});
        const auto next = reader.next();
        QVERIFY(next && !*next);
        QVERIFY(reader.midFrame());
    }

    void samplesComeBackAsTheyWere() {
        const auto samples = someSamples(300);
        std::string payload(reinterpret_cast<const char*>(samples.data()), samples.size() * sizeof(Sample));
        const auto read = decodeSamples(payload);
        QVERIFY(read);
        QCOMPARE(read->size(), samples.size());
        QCOMPARE(read->back().bytesIn, samples.back().bytesIn);
        QCOMPARE(read->back().poolFree, kNotAvailable);
        payload.pop_back();
        QVERIFY(!decodeSamples(payload));
        QVERIFY(decodeSamples({})->empty());
    }

    void tooLongIsNotSent() {
        QVERIFY(!writeFrame(-1, FrameType::stop, "x"));
        QVERIFY(!writeFrame(-1, FrameType::hello, std::string(20000, ' ')));
    }

    void writingThroughAPipeThatIsSmaller() {
        std::array<int, 2> ends{};
        QCOMPARE(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
        const UniqueFd in(ends[0]);
        UniqueFd out(ends[1]);
        const std::string payload(1U << 20U, 'r');
        Status written;
        std::thread writer([&] {
            written = writeFrame(out.get(), FrameType::record, payload);
            out.reset();
        });
        FrameReader reader;
        std::array<char, 3000> part{};
        for (;;) {
            const ssize_t n = ::read(in.get(), part.data(), part.size());
            if (n == 0) {
                break;
            }
            if (n > 0) {
                reader.feed({part.data(), static_cast<std::size_t>(n)});
            }
        }
        writer.join();
        QVERIFY(written);
        const auto frame = reader.next();
        QVERIFY(frame && *frame);
        QVERIFY((*frame)->payload == payload);
    }

    void aReaderThatIsGoneIsAnErrorAndNoSignal() {
        std::array<int, 2> ends{};
        QCOMPARE(::pipe2(ends.data(), O_CLOEXEC), 0);
        ::close(ends[0]);
        const UniqueFd out(ends[1]);
        struct sigaction before {};
        struct sigaction deadly {};
        deadly.sa_handler = SIG_DFL;  // would end this program
        ::sigaction(SIGPIPE, &deadly, &before);
        const auto written = writeFrame(out.get(), FrameType::stop, "");
        ::sigaction(SIGPIPE, &before, nullptr);
        QVERIFY(!written);
        QVERIFY2(written.error().message.find("Broken pipe") != std::string::npos,
                 written.error().message.c_str());
        sigset_t pending;
        sigpending(&pending);
        QVERIFY(sigismember(&pending, SIGPIPE) == 0);
    }

    void helloSaysWhoCantWorkTogether_data() {
        QTest::addColumn<QByteArray>("change");
        QTest::addColumn<QByteArray>("named");
        QTest::newRow("protocol") << QByteArray("protocol") << QByteArray("speaks protocol 99");
        QTest::newRow("sample") << QByteArray("sample") << QByteArray("samples of 8 bytes");
        QTest::newRow("order") << QByteArray("order") << QByteArray("big-endian");
    }

    void helloSaysWhoCantWorkTogether() {
        QFETCH(QByteArray, change);
        QFETCH(QByteArray, named);
        Hello theirs = ownHello();
        theirs.tool = "9.9";
        if (change == "protocol") {
            theirs.protocol = 99;
        } else if (change == "sample") {
            theirs.sampleBytes = 8;
        } else {
            theirs.byteOrder = "big";
        }
        const auto decoded = decodeHello(encodeHello(theirs));
        QVERIFY(decoded);
        const auto fits = checkHello(*decoded, ownHello());
        QVERIFY(!fits);
        QVERIFY2(fits.error().message.find(named.toStdString()) != std::string::npos,
                 fits.error().message.c_str());
        QVERIFY(fits.error().message.find("9.9") != std::string::npos);
    }

    void helloOfThisProgramFits() {
        const auto decoded = decodeHello(encodeHello(ownHello()));
        QVERIFY(decoded);
        QCOMPARE(decoded->pid, getpid());
        QVERIFY(checkHello(*decoded, ownHello()));
        QVERIFY(!decodeHello("{}"));
        QVERIFY(!decodeHello("SSH-2.0"));
    }
};

QTEST_GUILESS_MAIN(TestFrames)
#include "tst_frames.moc"
