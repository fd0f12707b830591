#include <QtTest>
#include <map>

#include "engine/workload/pieces_testing.h"

using namespace mmapscope;
using namespace mmapscope::testing;

Q_DECLARE_METATYPE(const Sha1Lanes*)

namespace {

void addImplementations() {
    QTest::addColumn<const Sha1Lanes*>("only");
    QTest::newRow("best") << static_cast<const Sha1Lanes*>(nullptr);
    for (const Sha1Lanes* lanes : allSha1Lanes()) {
        QTest::newRow(std::string(lanes->name).c_str()) << lanes;
    }
}

}  // namespace

class MultiPiecesTest : public QObject {
    Q_OBJECT

    const QByteArray many_ = randomBytes(std::size_t{44} << 20U, 9);
    std::map<std::size_t, std::string> wanted_;  ///< of many_, by piece length

  private slots:
    void anySpansAndThreads_data() { addImplementations(); }
    void anySpansAndThreads() {
        QFETCH(const Sha1Lanes*, only);
        if (only != nullptr && !only->supported()) {
            QSKIP("this CPU doesn't have it");
        }
        constexpr std::size_t kPiece = 16'384;
        for (const std::size_t size : {std::size_t{1}, std::size_t{55}, std::size_t{56}, std::size_t{64},
                                       kPiece - 1, kPiece, kPiece + 1, 16 * kPiece, 37 * kPiece + 4321}) {
            const QByteArray bytes = randomBytes(size, static_cast<std::uint32_t>(size));
            const std::string wanted = wantedHashes(bytes, kPiece);
            for (const std::size_t span : {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{65},
                                           std::size_t{4096}, std::size_t{65'536}, SIZE_MAX}) {
                for (const unsigned threads : {1U, 2U, 3U}) {
                    QCOMPARE(gotHashes(runMulti(bytes, kPiece, {0, span}, threads, only)), wanted);
                }
                if (span == 1) {
                    continue;  // slow, and a view is looked at once whatever the spans
                }
                QCOMPARE(gotHashes(runMulti(bytes, kPiece, {SIZE_MAX, span}, 1, only)), wanted);
                QCOMPARE(gotHashes(runMulti(bytes, kPiece, {20 * kPiece, span}, 2, only)), wanted);
                QCOMPARE(gotHashes(runMulti(bytes, kPiece, {5 * kPiece + 77, span}, 1, only)), wanted);
            }
        }
    }

    void everyPieceLength_data() { addImplementations(); }
    void everyPieceLength() {
        QFETCH(const Sha1Lanes*, only);
        if (only != nullptr && !only->supported()) {
            QSKIP("this CPU doesn't have it");
        }
        for (std::size_t piece = 16'384; piece <= kLongestMultiPiece.size(); piece *= 2) {
            // More than a group where that stays small, and a short last piece.
            const std::size_t size = std::min(18 * piece, std::size_t{36} << 20U) + piece / 2 + 13;
            const QByteArray bytes = many_.left(static_cast<qsizetype>(size));
            std::string& wanted = wanted_[piece];
            if (wanted.empty()) {
                wanted = wantedHashes(bytes, piece);
            }
            QCOMPARE(gotHashes(runMulti(bytes, piece, {0, 65'536}, 1, only)), wanted);
            QCOMPARE(
                gotHashes(runMulti(bytes, piece, {std::size_t{16} << 20U, std::size_t{1} << 20U}, 2, only)),
                wanted);
        }
    }

    void randomChunks() {
        std::mt19937 random(11);
        for (int i = 0; i < 120; ++i) {
            const std::size_t piece = std::size_t{16'384} << (random() % 3);
            const QByteArray bytes = randomBytes(1 + random() % (40 * piece), random());
            const std::size_t view = 1 + random() % (24 * piece);
            const std::size_t span = 1 + random() % view;
            QCOMPARE(
                gotHashes(runMulti(bytes, piece, {i % 4 == 0 ? 0 : view, span}, 1 + random() % 3, nullptr)),
                wantedHashes(bytes, piece));
        }
    }

    /// The work follows the bytes: what is consumed of a view is hashed before the rest of it is consumed.
    void stopsInTheMiddleOfAView() {
        std::stop_source stop;
        const QByteArray bytes = randomBytes(std::size_t{16} << 20U, 12);
        const auto all = std::as_bytes(std::span(bytes.constData(), static_cast<std::size_t>(bytes.size())));
        const Range whole{Bytes(0), Bytes(all.size())};
        MultiPieces pieces({whole, whole, "n", false, stop.get_token()}, piecesParameters(kib(256)));
        pieces.lookAhead(all);
        QVERIFY(pieces.consume(all.first(mib(4).size())).has_value());
        stop.request_stop();
        const auto status = pieces.consume(all.subspan(mib(4).size(), mib(4).size()));
        QVERIFY(!status.has_value());
        QCOMPARE(status.error().kind, ErrorKind::cancelled);
    }

    void aViewLongerThanTheRangeFails() {
        const QByteArray bytes = randomBytes(40'000, 13);
        const auto all = std::as_bytes(std::span(bytes.constData(), static_cast<std::size_t>(bytes.size())));
        const Range whole{Bytes(0), Bytes(20'000)};
        MultiPieces pieces({whole, whole, "n", false, {}}, piecesParameters(kib(16)));
        pieces.lookAhead(all);
        QVERIFY(pieces.consume(all.first(20'000)).has_value());
        const auto status = pieces.consume(all.subspan(20'000));
        QVERIFY(!status.has_value());
        QCOMPARE(status.error().kind, ErrorKind::changed);
    }
};

QTEST_GUILESS_MAIN(MultiPiecesTest)
#include "tst_pieces_multi.moc"
