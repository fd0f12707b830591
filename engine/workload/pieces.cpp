// pieces: SHA-1 of each piece and the BitTorrent v1 infohash (BEP 3).
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/text.h"
#include "workload/even_split.h"
#include "workload/pacer.h"
#include "workload/registry.h"
#include "workload/sha1.h"

namespace mmapscope {
namespace {

/// mktorrent 1.1's rule ("default is 18, that is 2^18 = 256kb", mktorrent -h): the same for every size.
constexpr Bytes kAutomaticPiece = kib(256);

std::uint64_t pieceCount(Bytes length, Bytes piece) {
    return length / piece + ((length % piece).isZero() ? 0 : 1);
}

class Pieces final : public Workload {
  public:
    Pieces(const WorkloadInput& input, Bytes piece, std::string name, Sha1 sha1)
        : pacer_(input.stop),
          sha1_(std::move(sha1)),
          whole_(input.whole.length()),
          piece_(piece),
          name_(std::move(name)),
          hashes_(pieceCount(input.range.length(), piece)) {
        countHeap(hashes_.size() * sizeof(Sha1::Digest));
    }

    Status consume(std::span<const std::byte> bytes) override {
        while (!bytes.empty()) {
            if (inPiece_ == 0 && !sha1_.restart()) {
                return hashFailed();
            }
            const std::uint64_t rest = piece_.count() - inPiece_;
            const std::size_t slice =
                static_cast<std::size_t>(std::min<std::uint64_t>({rest, bytes.size(), Pacer::kSlice}));
            if (!sha1_.update(bytes.first(slice))) {
                return hashFailed();
            }
            inPiece_ += slice;
            bytes = bytes.subspan(slice);
            if (inPiece_ == piece_.count()) {
                if (auto status = endPiece(); !status) {
                    return status;
                }
            }
            if (auto status = pacer_.advance(slice); !status) {
                return status;
            }
        }
        return {};
    }

    Status finish() override { return inPiece_ == 0 ? Status() : endPiece(); }

    Result<Outcome> outcome(std::span<Workload* const> all) const override {
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
        // BEP 3: a dictionary's keys are sorted; these four are the ones mktorrent writes for a single file.
        const std::string head =
            fmt::format("d6:lengthi{}e4:name{}:{}12:piece lengthi{}e6:pieces{}:", whole_.count(),
                        name_.size(), name_, piece_.count(), pieces * sizeof(Sha1::Digest));
        if (!hash->restart() || !addHashes() || !hash->finish(concatenated) || !hash->restart() ||
            !hash->update(std::as_bytes(std::span(head))) || !addHashes() ||
            !hash->update(std::as_bytes(std::span("e", 1))) || !hash->finish(info)) {
            return tl::unexpected(hashFailed().error());
        }
        return Outcome{{{"pieces", pieces}, {"pieces_sha1", hexOf(concatenated)}, {"infohash", hexOf(info)}}};
    }

  private:
    static Status hashFailed() {
        return fail(ErrorKind::failed, "libcrypto's SHA-1 failed while hashing a piece");
    }

    Status endPiece() {
        inPiece_ = 0;
        // More than the planned range: the file grew while it was read.
        if (done_ == hashes_.size()) {
            return fail(ErrorKind::changed,
                        "more bytes came than the range holds: the file changed while it was read");
        }
        return sha1_.finish(hashes_[done_++]) ? Status() : hashFailed();
    }

    Pacer pacer_;
    Sha1 sha1_;
    Bytes whole_;
    Bytes piece_;
    std::string name_;
    std::vector<Sha1::Digest> hashes_;
    std::size_t done_ = 0;
    std::uint64_t inPiece_ = 0;
};

Result<Parameters> resolvePieces(const FileFacts& file, const Parameters& parameters) {
    if (file.bytes.isZero()) {
        return fail(
            ErrorKind::input,
            "an empty file has no pieces, and a torrent of it alone would have nothing to share: choose a "
            "file with bytes in it");
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
    if (textOf(resolved, "engine") == "auto") {
        resolved["engine"] = "evp";
    }
    return resolved;
}

}  // namespace

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
          .most = gib(1024),
          .multipleOf = kib(16)},
         {.name = "name",
          .kind = ParameterKind::text,
          .defaultValue = "",
          .help = "Name inside the torrent, part of the infohash; empty means the file's own."},
         {.name = "engine",
          .kind = ParameterKind::choice,
          .defaultValue = "auto",
          .help = "Who computes SHA-1: evp is OpenSSL, one piece after the other.",
          .choices = {"auto", "evp"}}},
    .producesOutput = false,
    .resolve = resolvePieces,
    .fitLimit = [](const FileFacts&, const Parameters&, Bytes limit) -> Result<Bytes> { return limit; },
    .split = [](const FileFacts&, const Parameters& parameters, Bytes limit, unsigned threads)
        -> Result<std::vector<Range>> { return splitEvenly(limit, threads, bytesOf(parameters, "piece")); },
    .create = [](const Parameters& parameters,
                 const WorkloadInput& input) -> Result<std::unique_ptr<Workload>> {
        auto sha1 = Sha1::make();
        if (!sha1) {
            return tl::unexpected(sha1.error());
        }
        const std::string& name = textOf(parameters, "name");
        return std::make_unique<Pieces>(input, bytesOf(parameters, "piece"),
                                        name.empty() ? input.fileName : name, std::move(*sha1));
    },
    .describe =
        [](const FileFacts& file, const Parameters& parameters) {
            const bool automatic = textOf(parameters, "piece") == "auto";
            const Bytes piece = automatic ? kAutomaticPiece : bytesOf(parameters, "piece");
            if (piece.isZero() || file.bytes.isZero()) {
                return std::string();
            }
            const std::uint64_t count = pieceCount(file.bytes, piece);
            return fmt::format("{} piece{} of {}", count, count == 1 ? "" : "s", formatBytes(piece));
        },
};

}  // namespace mmapscope
