// The infohash of random files and folders, held against those of two other programs.
#include <QCryptographicHash>
#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <algorithm>

#include "engine/workload/bencode.h"
#include "engine/workload/workload_testing.h"
#include "workload/registry.h"
#include "workload/sha1_lanes.h"

using namespace mmapscope;
using namespace mmapscope::testing;

namespace {

constexpr int kFiles = 50;
constexpr int kFolders = 15;
constexpr int kTimeout = 60'000;

/// What is in a torrent: one file, whose path is its name, or a folder's, whose paths begin with the
/// folder's.
struct Case {
    QByteArray name;
    bool folder = false;
    std::vector<std::pair<QByteArray, std::size_t>> files;  ///< in the torrent's order
    unsigned pieceLog = 15;
};

class CaseMaker {
  public:
    explicit CaseMaker(unsigned seed) : random_(seed) {}

    Case file() {
        Case made{name(), false, {}, pieceLog()};
        made.files.emplace_back(made.name, length(made.pieceLog));
        return made;
    }

    /// Names that differ in the bytes around the slash, so that an order by path components is another one.
    Case folder() {
        Case made{name(), true, {}, pieceLog()};
        static constexpr const char* kTails[] = {"", "!", " b", "-", ".txt", "/x", "/y/z", "0", "A", "é"};
        const std::size_t count = 1 + below(12);
        while (made.files.size() < count) {
            const QByteArray base = below(3) == 0 ? name() : QByteArray(1, static_cast<char>('a' + below(3)));
            const QByteArray path = made.name + "/" + base + kTails[below(std::size(kTails))];
            // Neither twice, nor a file where a folder is.
            const bool clashes = std::any_of(made.files.begin(), made.files.end(), [&](const auto& other) {
                return other.first == path || other.first.startsWith(path + "/") ||
                       path.startsWith(other.first + "/");
            });
            if (!clashes) {
                made.files.emplace_back(path, below(4) == 0 ? 0 : length(made.pieceLog) / 4);
            }
        }
        made.files.front().second += 1;  // a torrent of nothing has no pieces
        std::sort(made.files.begin(), made.files.end(), [](const auto& a, const auto& b) {
            return std::string_view(a.first.constData(), static_cast<std::size_t>(a.first.size())) <
                   std::string_view(b.first.constData(), static_cast<std::size_t>(b.first.size()));
        });
        return made;
    }

    std::size_t below(std::size_t bound) { return random_() % bound; }

  private:
    QByteArray name() {
        static constexpr const char* kParts[] = {"a",   "Z", "7", " ",    ".",    "-", "_", "+",   "(1)",
                                                 "'q'", "ü", "é", "日本", "🎞", "ß", "&", "[x]", "%20"};
        QByteArray made;
        for (std::size_t parts = 1 + below(12); parts > 0; --parts) {
            made += kParts[below(std::size(kParts))];
        }
        return made == "." || made == ".." ? QByteArray("dots") : made;
    }
    unsigned pieceLog() { return 15 + static_cast<unsigned>(below(8) == 0 ? below(10) : below(4)); }
    /// About as often whole pieces, one byte more or less, and anything.
    std::size_t length(unsigned log) {
        const std::size_t piece = std::size_t{1} << log;
        const std::size_t whole = piece * (1 + below(log > 20 ? 1 : 9));
        switch (below(4)) {
            case 0:
                return whole;
            case 1:
                return whole + 1;
            case 2:
                return whole - 1;
            default:
                return 1 + below(whole);
        }
    }

    std::mt19937 random_;
};

std::vector<Case> makeCases() {
    CaseMaker maker(20'130);
    std::vector<Case> cases;
    for (int i = 0; i < kFiles; ++i) {
        cases.push_back(maker.file());
    }
    for (int i = 0; i < kFolders; ++i) {
        cases.push_back(maker.folder());
    }
    return cases;
}

/// Reads the cases as JSON and writes one infohash a line: libtorrent's own, of a torrent of version 1
/// (libtorrent before 2.0 knows no other) with the files in the order they are given in.
constexpr const char* kLibtorrentScript = R"(
import json, sys
import libtorrent as lt
for case in json.load(sys.stdin):
    files = lt.file_storage()
    for path, length in case["files"]:
        files.add_file(path, length)
    torrent = lt.create_torrent(files, case["piece"], getattr(lt.create_torrent, "v1_only", 0))
    lt.set_piece_hashes(torrent, case["parent"])
    info = lt.torrent_info(torrent.generate())
    print(info.info_hashes().v1 if hasattr(info, "info_hashes") else info.info_hash())
)";

/// Debian's libtorrent is for Debian's Python, which need not be the first in PATH.
QString pythonWithLibtorrent() {
    for (const QString& python :
         {QStringLiteral("/usr/bin/python3"), QStandardPaths::findExecutable("python3")}) {
        QProcess process;
        process.start(python, {"-c", "import libtorrent"});
        if (process.waitForFinished(kTimeout) && process.exitStatus() == QProcess::NormalExit &&
            process.exitCode() == 0) {
            return python;
        }
    }
    return {};
}

}  // namespace

class InfohashTest : public QObject {
    Q_OBJECT

    const std::vector<Case> cases_ = makeCases();
    QTemporaryDir dir_;
    std::vector<QByteArray> contents_;  ///< of each case, all files one after the other

    [[nodiscard]] QString parentOf(std::size_t i) const { return dir_.filePath(QString::number(i)); }
    [[nodiscard]] QString pathOf(std::size_t i) const {
        return parentOf(i) + "/" + QString::fromUtf8(cases_[i].name);
    }

    [[nodiscard]] std::string ours(std::size_t i, const std::string& engine, unsigned threads) const {
        const auto facts = inspectInput(pathOf(i).toStdString());
        if (!facts) {
            return facts.error().message;
        }
        const auto given = parseParameters(
            piecesWorkload.parameters, fmt::format("piece={},engine={}", 1U << cases_[i].pieceLog, engine));
        const auto parameters = given ? resolveFor(piecesWorkload, *facts, *given) : given;
        if (!parameters) {
            return parameters.error().message;
        }
        const auto ranges = piecesWorkload.split(*facts, *parameters, facts->bytes, threads);
        if (!ranges) {
            return ranges.error().message;
        }
        const QByteArray& content = contents_[i];
        const auto all =
            std::as_bytes(std::span(content.constData(), static_cast<std::size_t>(content.size())));
        std::vector<std::unique_ptr<Workload>> parts;
        std::vector<Workload*> pointers;
        for (const Range& range : *ranges) {
            WorkloadInput input;
            input.range = range;
            input.whole = {Bytes(0), facts->bytes};
            input.fileName = cases_[i].name.toStdString();
            input.members = facts->members;
            auto made = piecesWorkload.create(*parameters, input);
            if (!made) {
                return made.error().message;
            }
            auto status = feed(**made, all.subspan(range.begin.size(), range.length().size()), 100'003);
            if (status) {
                status = (*made)->finish();
            }
            if (!status) {
                return status.error().message;
            }
            pointers.push_back(made->get());
            parts.push_back(std::move(*made));
        }
        const auto outcome = pointers.front()->outcome(pointers);
        return outcome ? std::get<std::string>(outcome->find("infohash")->data) : outcome.error().message;
    }

    void compareAll(const QByteArrayList& theirs) const {
        const std::vector<std::string> engines =
            hasManySha1Lanes() ? std::vector<std::string>{"evp", "multi"} : std::vector<std::string>{"evp"};
        QCOMPARE(static_cast<std::size_t>(theirs.size()), cases_.size());
        for (std::size_t i = 0; i < cases_.size(); ++i) {
            QCOMPARE(theirs[static_cast<qsizetype>(i)].size(), 40);
            for (const std::string& engine : engines) {
                const std::string hash = ours(i, engine, 1 + static_cast<unsigned>(i % 3));
                QVERIFY2(
                    hash == theirs[static_cast<qsizetype>(i)].toStdString(),
                    fmt::format("case {}, {}, \"{}\" of {} files, pieces of 2^{}: {} instead of {}", i,
                                engine, cases_[i].name.toStdString(), cases_[i].files.size(),
                                cases_[i].pieceLog, hash, theirs[static_cast<qsizetype>(i)].toStdString())
                        .c_str());
            }
        }
    }

  private slots:
    void initTestCase() {
        QVERIFY(dir_.isValid());
        for (std::size_t i = 0; i < cases_.size(); ++i) {
            contents_.emplace_back();
            for (const auto& [path, length] : cases_[i].files) {
                const QString full = parentOf(i) + "/" + QString::fromUtf8(path);
                QVERIFY(QDir().mkpath(QFileInfo(full).path()));
                const QByteArray bytes =
                    randomBytes(length, static_cast<std::uint32_t>(contents_.back().size() + i));
                QFile file(full);
                QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
                contents_.back() += bytes;
            }
        }
    }

    void mktorrent() {
        const QString program = QStandardPaths::findExecutable("mktorrent");
        if (program.isEmpty()) {
            QSKIP("mktorrent isn't installed");
        }
        QByteArrayList hashes;
        for (std::size_t i = 0; i < cases_.size(); ++i) {
            const QString torrent = parentOf(i) + "/made.torrent";
            QProcess process;
            process.start(program, {"-d", "-a", "http://localhost/", "-l",
                                    QString::number(cases_[i].pieceLog), "-o", torrent, pathOf(i)});
            QVERIFY(process.waitForFinished(kTimeout));
            QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
            QFile made(torrent);
            QVERIFY(made.open(QIODevice::ReadOnly));
            const QByteArray info = infoOf(made.readAll());
            QVERIFY(!info.isEmpty());
            hashes << QCryptographicHash::hash(info, QCryptographicHash::Sha1).toHex();
        }
        compareAll(hashes);
    }

    void libtorrent() {
        const QString python = pythonWithLibtorrent();
        if (python.isEmpty()) {
            QSKIP("no python3 can import libtorrent (Debian: python3-libtorrent)");
        }
        QJsonArray asked;
        for (std::size_t i = 0; i < cases_.size(); ++i) {
            QJsonArray files;
            for (const auto& [path, length] : cases_[i].files) {
                files << QJsonArray{QString::fromUtf8(path), static_cast<qint64>(length)};
            }
            asked << QJsonObject{
                {"files", files}, {"piece", qint64{1} << cases_[i].pieceLog}, {"parent", parentOf(i)}};
        }
        QProcess process;
        process.start(python, {"-c", kLibtorrentScript});
        process.write(QJsonDocument(asked).toJson());
        process.closeWriteChannel();
        QVERIFY(process.waitForFinished(kTimeout));
        QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
        compareAll(process.readAllStandardOutput().trimmed().split('\n'));
    }
};

QTEST_GUILESS_MAIN(InfohashTest)
#include "tst_infohash.moc"
