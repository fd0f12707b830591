#include "workload/zstd_head.h"

#include <fmt/format.h>
#include <zstd.h>

#include <vector>

#include "workload/zstd_decoder.h"

namespace mmapscope {

Result<ZstdHead> decodeZstdHead(const InputFile& file, unsigned windowLog, const ZstdDictionary& dictionary,
                                Bytes most) {
    const ZstdContext context(ZSTD_createDCtx());
    if (!context) {
        return fail(ErrorKind::unavailable, "libzstd can't make a decoder: no memory");
    }
    ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, static_cast<int>(windowLog));
    ZSTD_DCtx_refDDict(context.get(), dictionary.ready.get());
    std::vector<std::byte> compressed(kib(64).size());
    ZstdHead head;
    head.bytes.resize(most.size());
    ZSTD_outBuffer out{head.bytes.data(), head.bytes.size(), 0};
    std::size_t left = 0;
    for (Bytes offset; offset < most && out.pos < out.size;) {
        const auto got = file.readAt(offset, compressed);
        if (!got) {
            return tl::unexpected(got.error());
        }
        ZSTD_inBuffer in{compressed.data(), *got, 0};
        while (in.pos < in.size && out.pos < out.size) {
            left = ZSTD_decompressStream(context.get(), &out, &in);
            if (ZSTD_isError(left) != 0) {
                break;
            }
        }
        offset += Bytes(*got);
        if (ZSTD_isError(left) != 0 || *got < compressed.size()) {
            head.whole = left == 0 && in.pos == in.size;
            break;
        }
    }
    if (ZSTD_isError(left) != 0 && out.pos == 0) {
        return fail(
            ErrorKind::input,
            fmt::format(
                "the rows can't be looked at, decoding fails at once: {}; get a good copy of the file",
                ZSTD_getErrorName(left)));
    }
    head.bytes.resize(out.pos);
    return head;
}

}  // namespace mmapscope
