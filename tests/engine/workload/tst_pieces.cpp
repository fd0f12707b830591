#include <QCryptographicHash>
#include <QProcess>
#include <QStandardPaths>

#include "engine/workload/bencode.h"
#include "engine/workload/workload_testing.h"
#include "workload/pieces_multi.h"

using namespace mmapscope;
using namespace mmapscope::testing;

namespace {

std::string hexSha1(const QByteArray& bytes) {
    return QCryptographicHash::hash(bytes, QCryptographicHash::Sha1).toHex().toStdString();
}

/// By another SHA-1 than the workload's.
std::string expected(const QByteArray& bytes, const QByteArray& name, qsizetype piece) {
    QByteArray hashes;
    for (qsizetype at = 0; at < bytes.size(); at += piece) {
        hashes += QCryptographicHash::hash(bytes.mid(at, piece), QCryptographicHash::Sha1);
    }
    const QByteArray info = "d6:lengthi" + QByteArray::number(bytes.size()) + "e4:name" +
                            QByteArray::number(name.size()) + ":" + name + "12:piece lengthi" +
                            QByteArray::number(piece) + "e6:pieces" + QByteArray::number(hashes.size()) +
                            ":" + hashes + "e";
    return fmt::format("pieces={} pieces_sha1={} infohash={} ", hashes.size() / 20, hexSha1(hashes),
                       hexSha1(info));
}

/// Those this CPU has.
QStringList engines() {
    return hasManySha1Lanes() ? QStringList{"evp", "multi"} : QStringList{"evp"};
}

}  // namespace

class PiecesTest : public QObject {
    Q_OBJECT

    const WorkloadType& pieces_ = *findWorkload("pieces");

  private slots:
    void hashesWhateverTheSpansAndThreads_data() {
        QTest::addColumn<int>("size");
        QTest::addColumn<QString>("engine");
        for (const QString& engine : engines()) {
            for (const int size : {1, 16'383, 16'384, 16'385, 5 * 16'384, 5 * 16'384 + 1, 300'001}) {
                QTest::addRow("%s %d", qPrintable(engine), size) << size << engine;
            }
        }
    }
    void hashesWhateverTheSpansAndThreads() {
        QFETCH(int, size);
        QFETCH(QString, engine);
        const TestFile file(randomBytes(static_cast<std::size_t>(size), 1));
        const std::string wanted = expected(file.bytes(), "input.bin", 16'384);
        for (const unsigned threads : {1U, 2U, 3U, 5U}) {
            for (const std::size_t span :
                 {std::size_t{1}, std::size_t{63}, std::size_t{4096}, std::size_t{65'537}}) {
                QCOMPARE(textOf(runWorkload(pieces_, file,
                                            {.parameters = "16KiB,engine=" + engine.toStdString(),
                                             .span = span,
                                             .threads = threads})),
                         wanted);
            }
        }
    }

    void limitIsTheLengthHashed() {
        const TestFile file(randomBytes(100'000, 2));
        QCOMPARE(
            textOf(runWorkload(pieces_, file, {.parameters = "32KiB", .threads = 2, .limit = Bytes(70'001)})),
            expected(file.bytes().left(70'001), "input.bin", 32'768));
    }

    void nameIsPartOfTheInfohash() {
        const TestFile file(randomBytes(1000, 3));
        QCOMPARE(textOf(runWorkload(pieces_, file, {.parameters = "name=a, b=c"})),
                 expected(file.bytes(), "a, b=c", 262'144));
    }

    void infohashIsMktorrents_data() {
        QTest::addColumn<int>("size");
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("pieceLog");  // 0: each program's own default
        QTest::addRow("default") << 1'000'000 << "plain.bin" << 0;
        QTest::addRow("shorter than a piece") << 5 << "five" << 0;
        QTest::addRow("one byte") << 1 << "one" << 15;
        QTest::addRow("exactly four pieces") << 4 * 32'768 << "four.bin" << 15;
        QTest::addRow("four pieces and a byte") << 4 * 32'768 + 1 << "four.bin" << 15;
        QTest::addRow("exactly a default piece") << 262'144 << "one piece" << 0;
        QTest::addRow("spaces") << 100'000 << "two  words .iso" << 16;
        QTest::addRow("UTF-8") << 100'000 << QString::fromUtf8("Grüße, 日本 🎞.mkv") << 17;
        QTest::addRow("many") << 3'000'001 << "m" << 15;
    }
    void infohashIsMktorrents() {
        QFETCH(int, size);
        QFETCH(QString, name);
        QFETCH(int, pieceLog);
        const QString program = QStandardPaths::findExecutable("mktorrent");
        if (program.isEmpty()) {
            QSKIP("mktorrent isn't installed");
        }
        const TestFile file(randomBytes(static_cast<std::size_t>(size), 4), name);
        const QString torrent = file.folder() + "/made.torrent";
        QStringList arguments{"-a", "http://localhost/", "-o", torrent};
        if (pieceLog != 0) {
            arguments << "-l" << QString::number(pieceLog);
        }
        arguments << QString::fromStdString(file.path());
        QProcess process;
        process.start(program, arguments);
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.exitCode(), 0);
        QFile made(torrent);
        QVERIFY(made.open(QIODevice::ReadOnly));
        const QByteArray text = made.readAll();
        const QByteArray info = infoOf(text);
        QVERIFY(!info.isEmpty());

        const auto outcome =
            runWorkload(pieces_, file,
                        {.parameters = pieceLog == 0 ? "" : fmt::format("piece={}", 1 << pieceLog),
                         .span = 10'007,
                         .threads = 2});
        QVERIFY2(outcome.has_value(), textOf(outcome).c_str());
        QCOMPARE(std::get<std::string>(outcome->find("infohash")->data), hexSha1(info));
        const qsizetype hashes = info.indexOf("6:pieces");
        const QByteArray value = bencoded(info, hashes + 8);
        QCOMPARE(std::get<std::string>(outcome->find("pieces_sha1")->data),
                 hexSha1(value.mid(value.indexOf(':') + 1)));
    }

    void emptyFileIsRefused() {
        const auto result = runWorkload(pieces_, TestFile({}), {});
        QVERIFY(!result.has_value());
        QCOMPARE(result.error().kind, ErrorKind::input);
        QVERIFY(QString::fromStdString(result.error().message).contains("empty file"));
    }

    void pieceLengthMustBeAPowerOfTwo() {
        const TestFile file("x");
        const auto odd = runWorkload(pieces_, file, {.parameters = "piece=48KiB"});
        QVERIFY(!odd.has_value());
        QCOMPARE(odd.error().kind, ErrorKind::usage);
        QVERIFY(QString::fromStdString(odd.error().message).contains("32 KiB and 64 KiB"));
        QVERIFY(!parseParameters(pieces_.parameters, "piece=8KiB").has_value());
    }

    void autoIsReplaced() {
        const TestFile file("x");
        const auto resolved = pieces_.resolve(file.facts(), *parseParameters(pieces_.parameters, ""));
        QVERIFY(resolved.has_value());
        QCOMPARE(resolved->at("piece"), std::string("256KiB"));
        QCOMPARE(resolved->at("engine"), std::string(multiPiecesWorthIt(kib(256)) ? "multi" : "evp"));
        QCOMPARE(pieces_.describe(file.facts(), *resolved), std::string("1 piece of 256 KiB"));
        const auto huge = pieces_.resolve(file.facts(), *parseParameters(pieces_.parameters, "piece=1GiB"));
        QVERIFY(huge.has_value());
        QCOMPARE(huge->at("engine"), std::string("evp"));
    }

    void multiNeedsRoomForTwoPieces() {
        const TestFile file("x");
        const auto tooLong = runWorkload(pieces_, file, {.parameters = "piece=32MiB,engine=multi"});
        QVERIFY(!tooLong.has_value());
        QCOMPARE(tooLong.error().kind, ErrorKind::usage);
        QVERIFY(QString::fromStdString(tooLong.error().message).contains("at most 16 MiB"));
    }

    void moreBytesThanPlannedFail_data() {
        QTest::addColumn<QString>("engine");
        for (const QString& engine : engines()) {
            QTest::newRow(qPrintable(engine)) << engine;
        }
    }
    void moreBytesThanPlannedFail() {
        QFETCH(QString, engine);
        const TestFile file(randomBytes(16'384, 5));
        const auto parameters = pieces_.resolve(
            file.facts(), *parseParameters(pieces_.parameters, "16KiB,engine=" + engine.toStdString()));
        const Range whole{Bytes(0), Bytes(16'384)};
        auto workload = pieces_.create(*parameters, {whole, whole, "n", false, {}});
        QVERIFY(workload.has_value());
        const std::vector<std::byte> twice(32'768);
        const auto status = (*workload)->consume(twice);
        QVERIFY(!status.has_value());
        QCOMPARE(status.error().kind, ErrorKind::changed);
    }
};

QTEST_GUILESS_MAIN(PiecesTest)
#include "tst_pieces.moc"
