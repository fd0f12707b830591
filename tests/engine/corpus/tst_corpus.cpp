// Synthetic inputs: the same bytes for the same seed, of the size asked for, whole or not there at all.
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <zstd.h>

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <set>

#include "corpus/corpus.h"
#include "corpus/output_file.h"
#include "corpus/random.h"
#include "corpus/tick_rows.h"
#include "engine/workload/tick_reference.h"
#include "workload/tick_detect.h"

using namespace mmapscope;

namespace {

std::string readAll(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

struct Frames {
    std::string content;
    std::vector<std::size_t> sizes;
    bool checksums = false;
};

/// Every frame by itself; a frame without content size fails the test.
Frames decode(const std::string& compressed) {
    Frames frames;
    for (std::size_t at = 0; at < compressed.size();) {
        const char* const p = compressed.data() + at;
        const std::size_t length = ZSTD_findFrameCompressedSize(p, compressed.size() - at);
        const unsigned long long size = ZSTD_getFrameContentSize(p, compressed.size() - at);
        if (ZSTD_isError(length) != 0 || size > (1U << 30U)) {
            return {};
        }
        std::string content(size, '\0');
        if (ZSTD_decompress(content.data(), content.size(), p, length) != size) {
            return {};
        }
        frames.content += content;
        frames.sizes.push_back(content.size());
        frames.checksums |= (static_cast<unsigned char>(p[4]) & 4U) != 0;  // RFC 8878: Content_Checksum_flag
        at += length;
    }
    return frames;
}

/// A file system of its own that is unmounted whatever happens.
class SmallDisk {
  public:
    explicit SmallDisk(const QString& path, const char* options) : path_(path.toStdString()) {
        QDir().mkpath(path);
        mounted_ = ::mount("tmpfs", path_.c_str(), "tmpfs", 0, options) == 0;
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    ~SmallDisk() {
        if (mounted_) {
            ::umount2(path_.c_str(), MNT_DETACH);
        }
    }
    [[nodiscard]] bool mounted() const { return mounted_; }

  private:
    std::string path_;
    bool mounted_ = false;
};

}  // namespace

class TestCorpus : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    std::string path(const char* name) { return folder_.filePath(name).toStdString(); }
    QStringList left() {
        return QDir(folder_.path()).entryList(QDir::Files | QDir::Hidden | QDir::System, QDir::Name);
    }
    std::string make(CorpusRequest request) {
        request.out = path("made");
        const auto written = makeCorpus(request, {});
        if (!written) {
            qWarning("%s", written.error().message.c_str());
            return {};
        }
        std::string bytes = readAll(request.out);
        return Bytes(bytes.size()) == *written ? bytes : std::string();
    }

  private slots:
    void cleanup() {
        for (const QString& name : left()) {
            QFile::remove(folder_.filePath(name));
        }
    }

    void generatorIsTheOnePublished() {
        // The first outputs of xoshiro256** seeded by splitmix64 from 0, as its authors' C code gives them.
        Random random(0);
        QCOMPARE(random.next(), std::uint64_t{0x99EC5F36CB75F2B4});
        QCOMPARE(random.next(), std::uint64_t{0xBF6E1F784956452A});
        QCOMPARE(random.next(), std::uint64_t{0x1A5F849D4933E6E0});
    }

    void stripes_data() {
        QTest::addColumn<quint64>("size");
        for (const quint64 size :
             {0ULL, 1ULL, 4095ULL, 4096ULL, 4097ULL, 8191ULL, 8193ULL, 300000ULL, 1048577ULL}) {
            QTest::addRow("%llu", size) << size;
        }
    }
    void stripes() {
        QFETCH(quint64, size);
        const std::string bytes = make({CorpusKind::bytes, Bytes(size)});
        QCOMPARE(bytes.size(), size);
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            QVERIFY(i / 4096 % 2 == 0 || static_cast<unsigned char>(bytes[i]) == 0xAB);
        }
        // Larger sizes only go on.
        const std::string longer = make({CorpusKind::bytes, Bytes(size + 5000)});
        QVERIFY(longer.starts_with(bytes));
        if (size >= 4096) {
            QVERIFY(bytes == make({CorpusKind::bytes, Bytes(size)}));
            QVERIFY(bytes != make({CorpusKind::bytes, Bytes(size), 2}));
            const auto different = std::set<char>(bytes.begin(), bytes.begin() + 4096).size();
            QCOMPARE(different, 256U);
        }
    }

    void frames_data() {
        QTest::addColumn<quint64>("size");
        QTest::addColumn<unsigned>("frames");
        QTest::newRow("one") << quint64{3000001} << 1U;
        QTest::newRow("three") << quint64{3000001} << 3U;
        QTest::newRow("many") << quint64{100000} << 700U;
        QTest::newRow("more than bytes") << quint64{5} << 9U;
        QTest::newRow("empty") << quint64{0} << 1U;
        QTest::newRow("empty ones") << quint64{0} << 3U;
    }
    void frames() {
        QFETCH(quint64, size);
        QFETCH(unsigned, frames);
        for (const bool checksum : {false, true}) {
            CorpusRequest request{CorpusKind::zstd, Bytes(size), 3, 3, frames, checksum};
            const Frames decoded = decode(make(request));
            QCOMPARE(decoded.sizes.size(), std::size_t{frames});
            QCOMPARE(decoded.checksums, checksum);
            QVERIFY(decoded.content == make({CorpusKind::bytes, Bytes(size), 3}));
            const auto [least, most] = std::minmax_element(decoded.sizes.begin(), decoded.sizes.end());
            QVERIFY(*most - *least <= 1);
        }
    }
    void halfOfItCompresses() {
        const double ratio = static_cast<double>(make({CorpusKind::zstd, mib(16)}).size()) / mib(16).size();
        QVERIFY2(ratio > 0.5 && ratio < 0.504, qPrintable(QString::number(ratio)));
    }

    void ticks_data() {
        QTest::addColumn<QString>("schema");
        for (const TickSchema& schema : knownTickSchemas()) {
            QTest::newRow(schema.name.c_str()) << QString::fromStdString(schema.name);
        }
    }
    void ticks() {
        QFETCH(QString, schema);
        const TickSchema& known = *findTickSchema(schema.toStdString());
        CorpusRequest request{CorpusKind::ticks, Bytes(1500000)};
        request.schema = known.name;
        const std::string text = make(request);
        QVERIFY(text.ends_with('\n'));
        QVERIFY(text.size() <= 1500000 && text.size() + kMostRowBytes > 1500000);
        // The row that follows in a longer one wouldn't have fitted.
        request.size = Bytes(1500000 + kMostRowBytes);
        const std::string longer = make(request);
        QVERIFY(longer.starts_with(text));
        QVERIFY(longer.find('\n', text.size()) + 1 > 1500000);
        request.size = Bytes(1500000);
        QVERIFY(text == make(request));

        const auto given = parseParameters(tickParameterSpecs(), "").value();
        const auto detected = detectTicks({std::string_view(text).substr(0, kTickHead.size()), false}, given);
        QVERIFY(detected.has_value());
        QCOMPARE(detected->schema.name, known.name);
        QCOMPARE(detected->header, known.usualHeader);
        QVERIFY(detected->alternatives.empty());
        const test::Reading expected = test::readPlainly(known, text, detected->header);
        QCOMPARE(expected.rejected, 0U);
        QVERIFY(expected.rows > 10000);
        for (const TickScanner* scanner : tickScanners()) {
            if (scanner->supported(makeTickPlan(known))) {
                const TickTotals totals = test::scanInSpans(known, text, detected->header, 65536, *scanner);
                QCOMPARE(test::difference(known, expected, totals), std::string());
            }
        }

        request.compressed = true;
        request.frames = 4;
        const Frames decoded = decode(make(request));
        QCOMPARE(decoded.sizes.size(), std::size_t{4});
        QVERIFY(decoded.content == text);
        std::size_t end = 0;
        for (const std::size_t size : decoded.sizes) {
            end += size;
            QCOMPARE(text[end - 1], '\n');
        }
        request.seed = 2;
        QVERIFY(decode(make(request)).content != text);
    }
    void spotCrossesToMicroseconds() {
        CorpusRequest request{CorpusKind::ticks, mib(1)};
        request.schema = "binance-spot-trades";
        const std::string text = make(request);
        QVERIFY(text.find(",1735689599") != std::string::npos);
        QVERIFY(text.find(",1735689600") != std::string::npos);
        QCOMPARE(text.find(',', text.find(",1735689599") + 1) - text.find(",1735689599"), std::size_t{14});
        QCOMPARE(text.find(',', text.find(",1735689600") + 1) - text.find(",1735689600"), std::size_t{17});
    }
    void noRowFits() {
        for (const TickSchema& schema : knownTickSchemas()) {
            CorpusRequest request{CorpusKind::ticks, Bytes(10)};
            request.schema = schema.name;
            request.out = path("small");
            QVERIFY(makeCorpus(request, {}) == Bytes(0));
            QCOMPARE(QFileInfo(folder_.filePath("small")).size(), 0);
        }
    }

    void refused_data() {
        QTest::addColumn<QString>("out");
        QTest::addColumn<QString>("says");
        QTest::newRow("folder") << "."
                                << "is a directory";
        QTest::newRow("folder to be") << "new/"
                                      << "is the name of a directory";
        QTest::newRow("no folder")
            << "none/file"
            << "none/file can't be written: No such file or directory; make the folder first";
        QTest::newRow("device") << "/dev/null"
                                << "is a device";
        QTest::newRow("no name") << ""
                                 << "no output file is named";
        QTest::newRow("not a file system to write to") << "/proc/mmapscope-corpus"
                                                       << "that folder takes no files";
    }
    void refused() {
        QFETCH(QString, out);
        QFETCH(QString, says);
        CorpusRequest request{CorpusKind::bytes, Bytes(10)};
        request.out =
            out.isEmpty() || out.startsWith('/') ? out.toStdString() : folder_.filePath(out).toStdString();
        const auto made = makeCorpus(request, {});
        QVERIFY(!made.has_value());
        const QString message = QString::fromStdString(made.error().message);
        QVERIFY2(message.contains(says) && !message.contains('\n'), qPrintable(message));
        QCOMPARE(left(), QStringList());
    }
    void badRequests() {
        CorpusRequest request{CorpusKind::zstd, Bytes(10)};
        request.out = path("bad");
        request.level = 99;
        QVERIFY(makeCorpus(request, {}).error().kind == ErrorKind::usage);
        request.level = 3;
        request.frames = 0;
        QVERIFY(makeCorpus(request, {}).error().kind == ErrorKind::usage);
        request = {CorpusKind::ticks, Bytes(10)};
        request.out = path("bad");
        request.schema = "tardis-trade";
        const auto unknown = makeCorpus(request, {});
        QVERIFY(QString::fromStdString(unknown.error().message).contains("did you mean \"tardis-trades\""));
        request.schema = "a:int";
        QVERIFY(makeCorpus(request, {}).error().kind == ErrorKind::usage);
        QCOMPARE(left(), QStringList());
    }

    void replacesOnlyWhenDone() {
        std::ofstream(path("target")) << "before";
        CorpusRequest request{CorpusKind::bytes, mib(64)};
        request.out = path("target");
        std::stop_source stop;
        const auto cancelledOne = makeCorpus(request, stop.get_token(), [&](double done) {
            if (done > 0.25) {
                stop.request_stop();
            }
        });
        QVERIFY(!cancelledOne.has_value() && cancelledOne.error().kind == ErrorKind::cancelled);
        QCOMPARE(readAll(path("target")), std::string("before"));
        QCOMPARE(left(), QStringList({"target"}));
        QVERIFY(std::filesystem::create_directory(path("sub")) &&
                ::symlink("../target", path("sub/link").c_str()) == 0);
        request.size = Bytes(5);
        request.out = path("sub/link");
        QVERIFY(makeCorpus(request, {}) == Bytes(5));
        QCOMPARE(readAll(path("target")).size(), std::size_t{5});
        QVERIFY(std::filesystem::is_symlink(path("sub/link")));
        std::filesystem::remove_all(path("sub"));
    }
    void cancelLeavesNothing_data() {
        QTest::addColumn<int>("kind");
        QTest::newRow("bytes") << static_cast<int>(CorpusKind::bytes);
        QTest::newRow("zstd") << static_cast<int>(CorpusKind::zstd);
        QTest::newRow("ticks") << static_cast<int>(CorpusKind::ticks);
    }
    void cancelLeavesNothing() {
        QFETCH(int, kind);
        CorpusRequest request{static_cast<CorpusKind>(kind), gib(1)};
        request.out = path("cancelled");
        request.compressed = true;
        for (const double when : {-1.0, 0.0, 0.01}) {
            std::stop_source stop;
            if (when < 0) {
                stop.request_stop();
            }
            const auto made = makeCorpus(request, stop.get_token(), [&](double done) {
                if (done > when) {
                    stop.request_stop();
                }
            });
            QVERIFY(!made.has_value() && made.error().kind == ErrorKind::cancelled);
            QCOMPARE(left(), QStringList());
            if (kind == static_cast<int>(CorpusKind::ticks)) {
                break;  // the pass that finds the frames' sizes takes a second
            }
        }
    }
    void progressReachesTheEnd() {
        double last = 0;
        bool rising = true;
        CorpusRequest request{CorpusKind::bytes, mib(3)};
        request.out = path("progress");
        QVERIFY(makeCorpus(request, {}, [&](double done) {
                    rising = rising && done >= last;
                    last = done;
                }).has_value());
        QVERIFY(rising);
        QCOMPARE(last, 1.0);
    }

    void diskTooSmall() {
        const SmallDisk disk(folder_.filePath("disk"), "size=4m");
        if (!disk.mounted()) {
            QSKIP("mounting a small tmpfs needs root");
        }
        CorpusRequest request{CorpusKind::bytes, mib(16)};
        request.out = path("disk/big");
        const auto made = makeCorpus(request, {});
        QVERIFY(!made.has_value() && made.error().kind == ErrorKind::failed);
        const QString message = QString::fromStdString(made.error().message);
        QVERIFY2(message.contains("about 16 MiB are needed and 4 MiB are free"), qPrintable(message));
    }
    void diskFillsUp_data() {
        QTest::addColumn<bool>("nameless");
        QTest::newRow("nameless") << true;
        QTest::newRow("hidden name") << false;
    }
    void diskFillsUp() {
        QFETCH(bool, nameless);
        const SmallDisk disk(folder_.filePath("disk"), "size=4m");
        if (!disk.mounted()) {
            QSKIP("mounting a small tmpfs needs root");
        }
        const std::string target = path("disk/big");
        std::ofstream(target) << "before";
        {
            auto file = OutputFile::create(
                target, nameless ? OutputFile::Nameless::ifPossible : OutputFile::Nameless::no);
            QVERIFY(file.has_value());
            QVERIFY(file->requireSpace(mib(3)).has_value());
            const std::string block(mib(1).size(), 'x');
            Status status;
            for (int i = 0; i < 6 && status; ++i) {
                status = file->write(block);
            }
            QVERIFY(!status.has_value() && status.error().kind == ErrorKind::failed);
            const QString message = QString::fromStdString(status.error().message);
            QVERIFY2(message.contains("the disk is full after") && !message.contains('\n'),
                     qPrintable(message));
        }
        QCOMPARE(readAll(target), std::string("before"));
        QCOMPARE(QDir(folder_.filePath("disk")).entryList(QDir::Files | QDir::Hidden), QStringList({"big"}));
        struct statvfs facts {};
        QCOMPARE(::statvfs(target.c_str(), &facts), 0);
        QVERIFY(facts.f_bavail * facts.f_frsize > mib(3).count());
    }
    void ticksThatFillTheDisk() {
        // Compressed ticks are asked only a tenth of their size beforehand.
        const SmallDisk disk(folder_.filePath("disk"), "size=2m");
        if (!disk.mounted()) {
            QSKIP("mounting a small tmpfs needs root");
        }
        CorpusRequest request{CorpusKind::ticks, mib(16)};
        request.compressed = true;
        request.out = path("disk/big");
        const auto made = makeCorpus(request, {});
        QVERIFY(!made.has_value());
        QVERIFY(QString::fromStdString(made.error().message).contains("the disk is full after"));
        QCOMPARE(QDir(folder_.filePath("disk")).entryList(QDir::Files | QDir::Hidden), QStringList());
    }

    void hiddenNameWorksToo() {
        auto file = OutputFile::create(path("target"), OutputFile::Nameless::no);
        QVERIFY(file.has_value());
        QVERIFY(file->write(std::string_view("abc")).has_value());
        QCOMPARE(left().size(), 1);
        QVERIFY(left().front().startsWith(".mmapscope-"));
        QVERIFY(file->commit({}).has_value());
        QCOMPARE(left(), QStringList({"target"}));
        QCOMPARE(readAll(path("target")), std::string("abc"));
    }
    void namelessHasNoName() {
        auto file = OutputFile::create(path("target"));
        QVERIFY(file.has_value());
        QVERIFY(file->write(std::string_view("abc")).has_value());
        if (!left().isEmpty()) {
            QSKIP("this file system keeps no files without a name");
        }
        QVERIFY(file->commit({}).has_value());
        QCOMPARE(left(), QStringList({"target"}));
    }
};

QTEST_GUILESS_MAIN(TestCorpus)
#include "tst_corpus.moc"
