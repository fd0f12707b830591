// Every way to hash pieces gives the same digests as another SHA-1: for every piece length, with ends,
// borders and addresses at odd places, and with damaged bytes.
#include <QtTest>
#include <array>

#include "engine/workload/pieces_testing.h"

using namespace mmapscope;
using namespace mmapscope::testing;

Q_DECLARE_METATYPE(PiecesEngine)

namespace {

constexpr std::size_t kLeastPiece = std::size_t{16} << 10U;
/// Of a file, but for its end: more than a group of pieces where that stays small.
constexpr std::size_t kMost = std::size_t{36} << 20U;

/// A file, the digests of its pieces, and both after a byte of it was changed.
class DamagedFile {
  public:
    DamagedFile(std::span<std::byte> bytes, std::size_t piece) : bytes_(bytes), piece_(piece) {
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            digests_.push_back(sha1Of(part(at / piece)));
        }
    }

    void damage(std::size_t at, std::byte by) {
        bytes_[at] ^= by;
        digests_[at / piece_] = sha1Of(part(at / piece_));
    }

    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
    [[nodiscard]] std::string wanted() const {
        QByteArray hashes;
        for (const QByteArray& digest : digests_) {
            hashes += digest;
        }
        return QCryptographicHash::hash(hashes, QCryptographicHash::Sha1).toHex().toStdString();
    }

  private:
    [[nodiscard]] std::span<const std::byte> part(std::size_t index) const {
        const auto rest = std::span<const std::byte>(bytes_).subspan(index * piece_);
        return rest.first(std::min(piece_, rest.size()));
    }

    std::span<std::byte> bytes_;
    std::size_t piece_;
    std::vector<QByteArray> digests_;
};

}  // namespace

class PiecesFuzz : public QObject {
    Q_OBJECT

    QByteArray noise_;

    static void addEngines() {
        QTest::addColumn<PiecesEngine>("engine");
        QTest::newRow("evp") << PiecesEngine{false, nullptr};
        QTest::newRow("best") << PiecesEngine{};
        for (const Sha1Lanes* lanes : allSha1Lanes()) {
            QTest::newRow(std::string(lanes->name).c_str()) << PiecesEngine{true, lanes};
        }
    }

  private slots:
    void initTestCase() { noise_ = randomBytes(kMost + kLongestMultiPiece.size() + 64, 21); }

    void everyPieceLength_data() { addEngines(); }
    void everyPieceLength() {
        QFETCH(PiecesEngine, engine);
        if (engine.only != nullptr && !engine.only->supported()) {
            QSKIP("this CPU doesn't have it");
        }
        std::mt19937 random(2026);
        QByteArray own = noise_;
        own.detach();
        for (std::size_t piece = kLeastPiece; piece <= kLongestMultiPiece.size(); piece *= 2) {
            const std::size_t tails[] = {1, 63, 1 + random() % (piece - 1)};
            for (const std::size_t tail : tails) {
                // The kinds of tails are the same for all, and the longest pieces take long.
                const bool isLong = piece > (std::size_t{1} << 20U);
                if (isLong && tail != tails[2]) {
                    continue;
                }
                const std::size_t size = std::min(18 * piece, kMost / piece * piece) + tail;
                DamagedFile file(
                    std::as_writable_bytes(std::span(own.data(), static_cast<std::size_t>(own.size())))
                        .first(size),
                    piece);
                for (int round = isLong ? 1 : 0; round < 2; ++round) {
                    // In the first and the last byte of the file and of a piece, and anywhere.
                    const std::size_t border = random() % (size / piece) * piece;
                    for (const std::size_t at : {std::size_t{0}, size - 1, border, border + piece - 1,
                                                 std::size_t{random() % size}}) {
                        file.damage(at, static_cast<std::byte>(1U << (random() % 8)));
                    }
                    // Nothing announced and small spans, or views of any length and their parts.
                    const Chunks chunks{round == 0 ? 0 : 3 * piece + 1,
                                        (round == 0 ? piece / 3 : 2 * piece) | 1U, random() % 64,
                                        static_cast<unsigned>(random() | 1U)};
                    const auto outcome = runPieces(engine, file.bytes(), piece, chunks,
                                                   1 + static_cast<unsigned>(random() % 3));
                    QVERIFY2(gotHashes(outcome) == file.wanted(),
                             fmt::format("pieces of {}, a tail of {}, round {}: {}", piece, tail, round,
                                         textOf(outcome))
                                 .c_str());
                }
            }
        }
    }

    /// Every bit around the borders of blocks, pieces and the file counts.
    void everyByte_data() { addEngines(); }
    void everyByte() {
        QFETCH(PiecesEngine, engine);
        if (engine.only != nullptr && !engine.only->supported()) {
            QSKIP("this CPU doesn't have it");
        }
        std::mt19937 random(5);
        QByteArray own = noise_.left(static_cast<qsizetype>(4 * kLeastPiece + 119));
        DamagedFile file(std::as_writable_bytes(std::span(own.data(), static_cast<std::size_t>(own.size()))),
                         kLeastPiece);
        std::string before = file.wanted();
        for (const std::size_t border :
             {std::size_t{0}, kLeastPiece, 2 * kLeastPiece, 4 * kLeastPiece, file.bytes().size()}) {
            for (std::size_t at = border - std::min(border, std::size_t{66});
                 at < std::min(border + 66, file.bytes().size()); ++at) {
                file.damage(at, static_cast<std::byte>(1U << (at % 8)));
                const std::string wanted = file.wanted();
                QVERIFY(wanted != before);
                before = wanted;
                const Chunks chunks{at % 2 == 0 ? 0 : SIZE_MAX, std::size_t{20'001}, at % 64,
                                    static_cast<unsigned>(random() | 1U)};
                QCOMPARE(gotHashes(runPieces(engine, file.bytes(), kLeastPiece, chunks, 1 + at % 2)), wanted);
            }
        }
    }
};

QTEST_GUILESS_MAIN(PiecesFuzz)
#include "tst_pieces_fuzz.moc"
