#include "corpus/frames.h"

#include <fmt/format.h>
#include <zstd.h>

namespace mmapscope {
namespace {

Status check(std::size_t code) {
    if (ZSTD_isError(code) != 0) {
        return fail(ErrorKind::failed, fmt::format("zstd can't compress: {}", ZSTD_getErrorName(code)));
    }
    return {};
}

}  // namespace

void FrameWriter::Freer::operator()(ZSTD_CCtx_s* context) const noexcept {
    ZSTD_freeCCtx(context);
}

Result<FrameWriter> FrameWriter::create(int level, bool checksum, OutputFile& out) {
    if (level < ZSTD_minCLevel() || level > ZSTD_maxCLevel() || level == 0) {
        return fail(ErrorKind::usage,
                    fmt::format("level={}: zstd has levels 1 to {}, and negative ones down to {}", level,
                                ZSTD_maxCLevel(), ZSTD_minCLevel()));
    }
    FrameWriter writer(out);
    writer.context_.reset(ZSTD_createCCtx());
    if (!writer.context_) {
        return fail(ErrorKind::failed, "zstd can't compress: no memory for its state");
    }
    for (const auto& [parameter, value] :
         {std::pair(ZSTD_c_compressionLevel, level), std::pair(ZSTD_c_contentSizeFlag, 1),
          std::pair(ZSTD_c_checksumFlag, checksum ? 1 : 0)}) {
        if (Status status = check(ZSTD_CCtx_setParameter(writer.context_.get(), parameter, value)); !status) {
            return tl::unexpected(status.error());
        }
    }
    writer.buffer_.resize(ZSTD_CStreamOutSize());
    return writer;
}

Status FrameWriter::begin(Bytes size) {
    return check(ZSTD_CCtx_setPledgedSrcSize(context_.get(), size.count()));
}

Status FrameWriter::write(std::span<const char> content) {
    return compress(content, false);
}

Status FrameWriter::end() {
    return compress({}, true);
}

Status FrameWriter::compress(std::span<const char> content, bool last) {
    ZSTD_inBuffer in{content.data(), content.size(), 0};
    while (true) {
        ZSTD_outBuffer out{buffer_.data(), buffer_.size(), 0};
        const std::size_t left =
            ZSTD_compressStream2(context_.get(), &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (Status status = check(left); !status) {
            return status;
        }
        if (Status status = out_->write({buffer_.data(), out.pos}); !status) {
            return status;
        }
        if (last ? left == 0 : in.pos == in.size) {
            return {};
        }
    }
}

}  // namespace mmapscope
