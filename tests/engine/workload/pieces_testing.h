// Hashing pieces as a run would, by any engine, and by another SHA-1 than its.
#pragma once

#include <QCryptographicHash>

#include <memory>
#include <random>

#include "engine/workload/workload_testing.h"
#include "workload/pieces_multi.h"
#include "workload/registry.h"

namespace mmapscope::testing {

/// How a source hands out its bytes and the run cuts them.
struct Chunks {
    std::size_t view = SIZE_MAX;  ///< announced by lookAhead; 0: nothing is
    std::size_t span = SIZE_MAX;  ///< a part of it for consume()
    std::size_t skew = 0;         ///< bytes by which views lie off a cache line
    unsigned seed = 0;            ///< not 0: views and spans are any length up to those, made by it
};

/// An engine, and for `multi` the implementation instead of the best.
struct PiecesEngine {
    bool multi = true;
    const Sha1Lanes* only = nullptr;
};

[[nodiscard]] inline Result<std::unique_ptr<Workload>> makePieces(const PiecesEngine& engine,
                                                                  const WorkloadInput& input, Bytes piece) {
    Parameters parameters = piecesParameters(piece);
    if (engine.multi) {
        return std::make_unique<MultiPieces>(input, parameters, engine.only);
    }
    parameters["engine"] = "evp";
    return piecesWorkload.create(parameters, input);
}

/// The views lie in memory of their own that is gone when the next one comes, as a source's buffer may be.
inline Result<Outcome> runPieces(const PiecesEngine& engine, std::span<const std::byte> all,
                                 std::size_t piece, const Chunks& chunks, unsigned threads) {
    const std::size_t size = all.size();
    const std::size_t count = (size + piece - 1) / piece;
    std::mt19937 random(chunks.seed);
    const auto upTo = [&](std::size_t most, std::size_t rest) {
        most = std::min(most, rest);
        return chunks.seed == 0 ? most : 1 + random() % most;
    };
    std::vector<std::unique_ptr<Workload>> instances;
    std::vector<Workload*> pointers;
    std::vector<std::byte> memory;
    for (unsigned i = 0; i < threads; ++i) {
        const std::size_t begin = std::min(size, count * i / threads * piece);
        const std::size_t end = std::min(size, count * (i + 1) / threads * piece);
        auto made = makePieces(
            engine, WorkloadInput{{Bytes(begin), Bytes(end)}, {Bytes(0), Bytes(size)}, "n", false, {}},
            Bytes(piece));
        if (!made) {
            return tl::unexpected(made.error());
        }
        instances.push_back(std::move(*made));
        Workload& instance = *instances.back();
        pointers.push_back(&instance);
        auto rest = all.subspan(begin, end - begin);
        while (!rest.empty()) {
            const auto part = rest.first(upTo(chunks.view == 0 ? chunks.span : chunks.view, rest.size()));
            rest = rest.subspan(part.size());
            memory.assign(part.size() + chunks.skew, std::byte{0});
            std::copy(part.begin(), part.end(), memory.begin() + static_cast<std::ptrdiff_t>(chunks.skew));
            const auto view = std::span<const std::byte>(memory).subspan(chunks.skew);
            if (chunks.view != 0) {
                instance.lookAhead(view);
            }
            for (auto left = view; !left.empty();) {
                const auto span = left.first(upTo(chunks.span, left.size()));
                left = left.subspan(span.size());
                if (auto status = instance.consume(span); !status) {
                    return tl::unexpected(status.error());
                }
            }
        }
        if (auto status = instance.finish(); !status) {
            return tl::unexpected(status.error());
        }
    }
    return pointers.front()->outcome(pointers);
}

inline Result<Outcome> runMulti(const QByteArray& bytes, std::size_t piece, const Chunks& chunks,
                                unsigned threads, const Sha1Lanes* only) {
    return runPieces({true, only},
                     std::as_bytes(std::span(bytes.constData(), static_cast<std::size_t>(bytes.size()))),
                     piece, chunks, threads);
}

inline QByteArray sha1Of(std::span<const std::byte> bytes) {
    return QCryptographicHash::hash(QByteArray::fromRawData(reinterpret_cast<const char*>(bytes.data()),
                                                            static_cast<qsizetype>(bytes.size())),
                                    QCryptographicHash::Sha1);
}

/// What pieces_sha1 must be.
inline std::string wantedHashes(const QByteArray& bytes, std::size_t piece) {
    QByteArray hashes;
    for (auto rest = std::as_bytes(std::span(bytes.constData(), static_cast<std::size_t>(bytes.size())));
         !rest.empty(); rest = rest.subspan(std::min(piece, rest.size()))) {
        hashes += sha1Of(rest.first(std::min(piece, rest.size())));
    }
    return QCryptographicHash::hash(hashes, QCryptographicHash::Sha1).toHex().toStdString();
}

inline std::string gotHashes(const Result<Outcome>& outcome) {
    return outcome ? std::get<std::string>(outcome->find("pieces_sha1")->data) : textOf(outcome);
}

}  // namespace mmapscope::testing
