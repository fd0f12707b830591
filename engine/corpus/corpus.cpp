#include "corpus/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/accounting.h"
#include "corpus/content.h"
#include "corpus/frames.h"
#include "corpus/output_file.h"

namespace mmapscope {
namespace {

constexpr unsigned kMostFrames = 1U << 20U;

bool compresses(const CorpusRequest& request) {
    return request.kind == CorpusKind::zstd || (request.kind == CorpusKind::ticks && request.compressed);
}

/// What the file will take. Half of the stripes can't be compressed; of ticks at least a tenth is left.
Bytes spaceFor(const CorpusRequest& request) {
    if (!compresses(request)) {
        return request.size;
    }
    const Bytes content = request.kind == CorpusKind::zstd ? request.size / 2 : request.size / 10;
    return content + Bytes(32) * request.frames;
}

/// Hands the content over, block by block; the callee says how far it is and may end it.
template <class Take>
Status forEachBlock(const CorpusRequest& request, const std::stop_token& stop,
                    const std::function<void(double)>& progress, Take take) {
    auto content = makeContent(request);
    if (!content) {
        return tl::unexpected(content.error());
    }
    std::uint64_t done = 0;
    while (true) {
        if (Status status = checkpoint(stop); !status) {
            return status;
        }
        const auto block = (*content)->next();
        if (block.empty()) {
            return {};
        }
        if (Status status = take(block); !status) {
            return status;
        }
        done += block.size();
        if (progress) {
            progress(static_cast<double>(done) / static_cast<double>(request.size.count()));
        }
    }
}

Status writeFrames(const CorpusRequest& request, OutputFile& file, const std::stop_token& stop,
                   const std::function<void(double)>& progress) {
    const auto sizes = partSizes(request, stop);
    if (!sizes) {
        return tl::unexpected(sizes.error());
    }
    auto frames = FrameWriter::create(request.level, request.checksum, file);
    if (!frames) {
        return tl::unexpected(frames.error());
    }
    std::size_t frame = 0;
    Bytes left = sizes->front();
    const auto endFullFrames = [&]() -> Status {
        while (left.isZero() && frame < sizes->size()) {
            if (Status status = frames->end(); !status) {
                return status;
            }
            if (++frame < sizes->size()) {
                left = (*sizes)[frame];
                if (Status status = frames->begin(left); !status) {
                    return status;
                }
            }
        }
        return {};
    };
    if (Status status = frames->begin(left); !status) {
        return status;
    }
    const Status written = forEachBlock(request, stop, progress, [&](std::span<const char> block) -> Status {
        if (Status status = endFullFrames(); !status) {
            return status;
        }
        left = left - Bytes(block.size());
        return frames->write(block);
    });
    return written ? endFullFrames() : written;
}

Status checkRequest(const CorpusRequest& request) {
    if (request.frames == 0 || request.frames > kMostFrames) {
        return fail(ErrorKind::usage,
                    fmt::format("frames={}: 1 to {} are possible", request.frames, kMostFrames));
    }
    return {};
}

}  // namespace

Result<Bytes> makeCorpus(const CorpusRequest& request, std::stop_token stop,
                         const std::function<void(double)>& progress) {
    if (const Status status = checkRequest(request); !status) {
        return tl::unexpected(status.error());
    }
    auto file = OutputFile::create(request.out);
    if (!file) {
        return tl::unexpected(file.error());
    }
    Status status = file->requireSpace(spaceFor(request));
    if (status) {
        status = compresses(request)
                     ? writeFrames(request, *file, stop, progress)
                     : forEachBlock(request, stop, progress,
                                    [&](std::span<const char> block) { return file->write(block); });
    }
    if (status) {
        status = file->commit(stop);
    }
    if (!status) {
        return tl::unexpected(status.error());
    }
    return file->written();
}

}  // namespace mmapscope
