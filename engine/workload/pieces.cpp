// pieces: SHA-1 of each piece and the BitTorrent v1 infohash (BEP 3).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>

#include "core/atomic_file.h"
#include "core/text.h"
#include "workload/even_split.h"
#include "workload/pieces_multi.h"
#include "workload/registry.h"
#include "workload/sha1_lanes.h"

namespace mmapscope {
namespace {

/// mktorrent 1.1's rule ("default is 18, that is 2^18 = 256kb", mktorrent -h): the same for every size.
constexpr Bytes kAutomaticPiece = kib(256);

std::uint64_t pieceCount(Bytes length, Bytes piece) {
    return length / piece + ((length % piece).isZero() ? 0 : 1);
}

/// What is hashed by one call ends where hardware prefetchers do, at 4 KiB of any page size. A hash's own
/// loads reach too little ahead: in longer calls each such border cost 1.6 µs on a Xeon, nearly as much as
/// the hashing.
constexpr std::size_t kFetchBlock = std::size_t{4} << 10U;
/// Of the block that comes next so much is fetched beforehand; from there on the hardware does it.
constexpr std::size_t kFetchAhead = std::size_t{1} << 10U;

std::size_t toFetchBorder(const std::byte* at) {
    return kFetchBlock - reinterpret_cast<std::uintptr_t>(at) % kFetchBlock;
}

void fetch(std::span<const std::byte> bytes) {
    for (std::size_t i = 0; i < bytes.size(); i += kSha1Block) {
        __builtin_prefetch(&bytes[i]);
    }
}

/// One piece after the other, by OpenSSL.
class EvpPieces final : public Pieces {
  public:
    EvpPieces(const WorkloadInput& input, const Parameters& parameters, Sha1 sha1)
        : Pieces(input, parameters), sha1_(std::move(sha1)) {}

    Status consume(std::span<const std::byte> bytes) override {
        if (auto status = expect(bytes.size()); !status) {
            return status;
        }
        while (!bytes.empty()) {
            if (inPiece_ == 0 && !sha1_.restart()) {
                return hashFailed();
            }
            const std::size_t slice =
                std::min({pieceSize() - inPiece_, bytes.size(), toFetchBorder(bytes.data())});
            fetch(bytes.subspan(slice, std::min(kFetchAhead, bytes.size() - slice)));
            if (!sha1_.update(bytes.first(slice))) {
                return hashFailed();
            }
            inPiece_ += slice;
            bytes = bytes.subspan(slice);
            if (inPiece_ == pieceSize()) {
                if (auto status = endPiece(); !status) {
                    return status;
                }
            }
            if (auto status = advance(slice); !status) {
                return status;
            }
        }
        return {};
    }

    Status finish() override { return inPiece_ == 0 ? Status() : endPiece(); }

  private:
    Status endPiece() {
        inPiece_ = 0;
        Sha1::Digest digest;
        if (!sha1_.finish(digest)) {
            return hashFailed();
        }
        addHash(digest);
        return {};
    }

    Sha1 sha1_;
    std::size_t inPiece_ = 0;
};

/// A worker's working folder is its own business: the path becomes absolute.
Status checkTorrent(const FileFacts& input, std::string& torrent) {
    if (torrent.empty()) {
        return {};
    }
    if (auto kept = checkKeepsMeasured(torrent, input.path); !kept) {
        return kept;
    }
    std::error_code error;
    torrent = std::filesystem::absolute(torrent, error).string();
    return error ? fail(ErrorKind::usage, "torrent=" + printable(torrent) + ": " + error.message())
                 : checkWritable(torrent);
}

/// BEP 3: the name of a file or folder of its own, which a client will create.
Status checkName(const std::string& name) {
    if (name.empty()) {
        return {};
    }
    const bool path = name == "." || name == ".." || name.find('/') != std::string::npos;
    const bool control =
        std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    return path || control
               ? fail(ErrorKind::usage,
                      fmt::format("name={}: a torrent's name is one file name: without \"/\", control "
                                  "characters, and not \".\" or \"..\"",
                                  printable(name)))
               : Status();
}

Result<Parameters> resolvePieces(const FileFacts& file, const Parameters& parameters) {
    if (file.bytes.isZero()) {
        return fail(ErrorKind::input,
                    fmt::format("an empty {0} has no pieces, and a torrent of it alone would have nothing to "
                                "share: choose a {0} with bytes in it",
                                file.isFolder() ? "folder" : "file"));
    }
    Parameters resolved = parameters;
    if (textOf(resolved, "piece") == "auto") {
        resolved["piece"] = formatBytesExact(kAutomaticPiece);
    } else if (const Bytes piece = bytesOf(resolved, "piece"); !std::has_single_bit(piece.count())) {
        const Bytes below(std::bit_floor(piece.count()));
        return fail(ErrorKind::usage,
                    fmt::format("piece={}: a piece length must be a power of two; the nearest are {} and {}",
                                textOf(resolved, "piece"), formatBytes(below), formatBytes(below * 2)));
    }
    if (auto name = checkName(textOf(resolved, "name")); !name) {
        return tl::unexpected(name.error());
    }
    if (auto place = checkTorrent(file, resolved["torrent"]); !place) {
        return tl::unexpected(place.error());
    }
    const Bytes piece = bytesOf(resolved, "piece");
    std::string& engine = resolved["engine"];
    if (engine == "auto") {
        engine = multiPiecesWorthIt(piece) ? "multi" : "evp";
    }
    if (engine == "multi" && piece > kLongestMultiPiece) {
        return fail(ErrorKind::usage,
                    fmt::format("engine=multi hashes several pieces at once and holds up to {} of them: "
                                "piece={} is too long for two; choose engine=evp or a piece of at most {}",
                                formatBytes(kLongestMultiPiece * 2), textOf(resolved, "piece"),
                                formatBytes(kLongestMultiPiece)));
    }
    return resolved;
}

}  // namespace

Pieces::Pieces(const WorkloadInput& input, const Parameters& parameters)
    : pacer_(input.stop),
      content_{textOf(parameters, "name"), input.whole.length(), bytesOf(parameters, "piece"), input.members},
      rest_(input.range.length().count()),
      hashes_(pieceCount(input.range.length(), content_.piece)) {
    if (content_.name.empty()) {
        content_.name = input.fileName;
    }
    if (input.digest) {
        torrent_ = textOf(parameters, "torrent");
    }
    countHeap(hashes_.size() * sizeof(Sha1::Digest));
}

Status Pieces::hashFailed() {
    return fail(ErrorKind::failed, "libcrypto's SHA-1 failed while hashing a piece");
}

Status Pieces::expect(std::size_t bytes) {
    // More than the planned range: the file grew while it was read.
    if (bytes > rest_) {
        return fail(ErrorKind::changed,
                    "more bytes came than the range holds: the file changed while it was read");
    }
    rest_ -= bytes;
    return {};
}

Result<Outcome> Pieces::outcome(std::span<Workload* const> all) const {
    std::uint64_t pieces = 0;
    for (const Workload* workload : all) {
        pieces += static_cast<const Pieces&>(*workload).done_;
    }
    auto hash = Sha1::make();
    if (!hash) {
        return tl::unexpected(hash.error());
    }
    const auto addHashes = [&] {
        return std::all_of(all.begin(), all.end(), [&](const Workload* workload) {
            const auto& part = static_cast<const Pieces&>(*workload);
            return hash->update(std::as_bytes(std::span(part.hashes_).first(part.done_)));
        });
    };
    Sha1::Digest concatenated;
    Sha1::Digest info;
    const std::string head = infoHead(content_, pieces);
    if (!hash->restart() || !addHashes() || !hash->finish(concatenated) || !hash->restart() ||
        !hash->update(std::as_bytes(std::span(head))) || !addHashes() ||
        !hash->update(std::as_bytes(std::span("e", 1))) || !hash->finish(info)) {
        return tl::unexpected(hashFailed().error());
    }
    if (!torrent_.empty()) {
        std::string metainfo = "d4:info" + head;
        for (const Workload* workload : all) {
            const auto& part = static_cast<const Pieces&>(*workload);
            for (const Sha1::Digest& digest : std::span(part.hashes_).first(part.done_)) {
                metainfo.append(reinterpret_cast<const char*>(digest.data()), digest.size());
            }
        }
        if (const auto written = writeFileAtomically(torrent_, metainfo + "ee"); !written) {
            return tl::unexpected(written.error());
        }
    }
    return Outcome{{{"pieces", pieces}, {"pieces_sha1", hexOf(concatenated)}, {"infohash", hexOf(info)}}};
}

const WorkloadType piecesWorkload = {
    .id = "pieces",
    .summary = "SHA-1 of each piece and the BitTorrent v1 infohash, as a torrent creator computes them.",
    .parameters =
        {{.name = "piece",
          .kind = ParameterKind::bytes,
          .defaultValue = "auto",
          .help = "Piece length, a power of two; auto is mktorrent 1.1's default: 256 KiB (2^18) for every "
                  "file.",
          .least = kib(16),
          .most = gib(1024)},
         {.name = "name",
          .kind = ParameterKind::text,
          .defaultValue = "",
          .help = "Name inside the torrent, part of the infohash; empty means the file's own."},
         {.name = "engine",
          .kind = ParameterKind::choice,
          .defaultValue = "auto",
          .help =
              "Who computes SHA-1: evp is OpenSSL, one piece after the other; multi hashes several pieces "
              "at once in this CPU's vector lanes; auto is multi where it is faster.",
          .choices = {"auto", "evp", "multi"}},
         {.name = "torrent",
          .kind = ParameterKind::text,
          .defaultValue = "",
          .help = "Where to write the .torrent file (metainfo without a tracker), so that other programs can "
                  "check it; written by the inspection run. Empty: nowhere.",
          .file = FileRole::writes}},
    .producesOutput = false,
    .resolve = resolvePieces,
    .fitLimit = [](const FileFacts&, const Parameters& parameters, Bytes limit) -> Result<Bytes> {
        if (!textOf(parameters, "torrent").empty()) {
            return fail(ErrorKind::usage,
                        "torrent= with a limit would write a torrent of a part: leave one of them out");
        }
        return limit;
    },
    .split = [](const FileFacts&, const Parameters& parameters, Bytes limit, unsigned threads)
        -> Result<std::vector<Range>> { return splitEvenly(limit, threads, bytesOf(parameters, "piece")); },
    .create = [](const Parameters& parameters,
                 const WorkloadInput& input) -> Result<std::unique_ptr<Workload>> {
        auto sha1 = Sha1::make();
        if (!sha1) {
            return tl::unexpected(sha1.error());
        }
        if (textOf(parameters, "engine") == "evp") {
            return std::make_unique<EvpPieces>(input, parameters, std::move(*sha1));
        }
        if (!hasManySha1Lanes()) {
            return fail(
                ErrorKind::unavailable,
                "engine=multi needs a CPU with AVX2, AVX-512 or the SHA extensions: choose engine=evp");
        }
        return std::make_unique<MultiPieces>(input, parameters);
    },
    .describe =
        [](const FileFacts& file, const Parameters& parameters) {
            const bool automatic = textOf(parameters, "piece") == "auto";
            const Bytes piece = automatic ? kAutomaticPiece : bytesOf(parameters, "piece");
            if (piece.isZero() || file.bytes.isZero()) {
                return std::string();
            }
            const std::uint64_t count = pieceCount(file.bytes, piece);
            const std::string pieces =
                fmt::format("{} piece{} of {}", count, count == 1 ? "" : "s", formatBytes(piece));
            if (!file.isFolder()) {
                return pieces;
            }
            const std::string leftOut =
                file.leftOut == 0 ? "" : fmt::format(", {} left out that are not files", file.leftOut);
            return fmt::format("folder of {} file{} in the order of their paths, byte by byte{}, {}",
                               file.members.size(), file.members.size() == 1 ? "" : "s", leftOut, pieces);
        },
    .takesFolders = true,
};

}  // namespace mmapscope
