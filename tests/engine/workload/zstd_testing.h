// Making zstd inputs with libzstd (or by hand, where no encoder writes them), and its own streaming decoder
// as the reference.
#pragma once

#include <zstd.h>

#include <array>
#include <optional>

#include "engine/workload/workload_testing.h"

namespace mmapscope::testing {

struct FrameOptions {
    int level = 3;
    int windowLog = 0;
    bool contentSize = true;
    bool checksum = false;
    QByteArray dictionary = {};
};

[[nodiscard]] inline QByteArray zstdFrame(const QByteArray& bytes, const FrameOptions& options = {}) {
    const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, options.level);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, options.checksum ? 1 : 0);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_contentSizeFlag, options.contentSize ? 1 : 0);
    if (options.windowLog != 0) {
        ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, options.windowLog);
    }
    if (!options.dictionary.isEmpty()) {
        ZSTD_CCtx_loadDictionary(context.get(), options.dictionary.constData(),
                                 static_cast<std::size_t>(options.dictionary.size()));
    }
    if (options.contentSize) {
        ZSTD_CCtx_setPledgedSrcSize(context.get(), static_cast<unsigned long long>(bytes.size()));
    }
    QByteArray out(static_cast<qsizetype>(ZSTD_compressBound(static_cast<std::size_t>(bytes.size()))) + 64,
                   '\0');
    ZSTD_inBuffer in{bytes.constData(), static_cast<std::size_t>(bytes.size()), 0};
    ZSTD_outBuffer o{out.data(), static_cast<std::size_t>(out.size()), 0};
    // Without a pledge the encoder must not see the end in the first call, or it knows the size after all.
    if (!options.contentSize) {
        ZSTD_compressStream2(context.get(), &o, &in, ZSTD_e_continue);
    }
    std::size_t left = 1;
    while (left != 0 && ZSTD_isError(left) == 0) {
        left = ZSTD_compressStream2(context.get(), &o, &in, ZSTD_e_end);
    }
    if (left != 0) {
        qFatal("the test's encoder failed: %s", ZSTD_getErrorName(left));
    }
    out.truncate(static_cast<qsizetype>(o.pos));
    return out;
}

[[nodiscard]] inline QByteArray littleEndianBytes(std::uint64_t value, int count) {
    QByteArray bytes;
    for (int i = 0; i < count; ++i) {
        bytes.append(static_cast<char>(value >> (8 * i)));
    }
    return bytes;
}

[[nodiscard]] inline QByteArray skippableFrame(std::uint32_t length, unsigned variant = 0) {
    return littleEndianBytes(0x184D2A50U + variant, 4) + littleEndianBytes(length, 4) +
           QByteArray(length, 's');
}

/// One raw block under a header that asks for a window of 2^windowLog (plus eighths) and states no size.
[[nodiscard]] inline QByteArray windowFrame(unsigned windowLog, const QByteArray& content,
                                            unsigned eighths = 0) {
    return QByteArray::fromHex("28b52ffd00") +
           QByteArray(1, static_cast<char>(((windowLog - 10) << 3U) | eighths)) +
           littleEndianBytes((static_cast<std::uint64_t>(content.size()) << 3U) | 1U, 3) + content;
}

/// One raw block under a header that claims `claimed` bytes, with a window of 1 MiB.
[[nodiscard]] inline QByteArray claimingFrame(std::uint64_t claimed, const QByteArray& content) {
    return QByteArray::fromHex("28b52ffdc0") + QByteArray(1, static_cast<char>(10U << 3U)) +
           littleEndianBytes(claimed, 8) +
           littleEndianBytes((static_cast<std::uint64_t>(content.size()) << 3U) | 1U, 3) + content;
}

/// What ZSTD_decompressStream makes of these bytes fed in pieces of `feedSize`, or nothing when it refuses
/// them or they end within a frame.
[[nodiscard]] inline std::optional<QByteArray> referenceDecode(const QByteArray& bytes,
                                                               std::size_t feedSize = 1, int windowLog = 27) {
    if (bytes.isEmpty()) {
        return std::nullopt;
    }
    const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
    ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, windowLog);
    QByteArray out;
    std::vector<char> buffer(70'000);
    std::size_t state = 1;
    std::size_t at = 0;
    const auto size = static_cast<std::size_t>(bytes.size());
    while (at < size) {
        ZSTD_inBuffer in{bytes.constData() + at, std::min(feedSize, size - at), 0};
        for (;;) {
            ZSTD_outBuffer o{buffer.data(), buffer.size(), 0};
            state = ZSTD_decompressStream(context.get(), &o, &in);
            if (ZSTD_isError(state) != 0) {
                return std::nullopt;
            }
            out.append(buffer.data(), static_cast<qsizetype>(o.pos));
            if (in.pos == in.size && o.pos < o.size) {
                break;
            }
        }
        at += in.pos;
    }
    return state == 0 ? std::optional(out) : std::nullopt;
}

/// Every way of driving libzstd, as parameters of the workload.
inline constexpr std::array kEngines = {"engine=stream", "engine=ring", "engine=oneshot"};

/// Whether oneshot must refuse these bytes: their whole frames are followed by one that states no content
/// size, or one no machine's memory holds. That isn't a verdict on the data.
[[nodiscard]] inline bool oneshotRefuses(const QByteArray& bytes) {
    const char* at = bytes.constData();
    auto left = static_cast<std::size_t>(bytes.size());
    while (left > 0) {
        const unsigned long long content = ZSTD_getFrameContentSize(at, left);
        if (content == ZSTD_CONTENTSIZE_UNKNOWN ||
            (content != ZSTD_CONTENTSIZE_ERROR && content >= std::uint64_t{1} << 28U)) {
            return true;
        }
        const std::size_t length = ZSTD_findFrameCompressedSize(at, left);
        if (ZSTD_isError(length) != 0) {
            return false;
        }
        at += length;
        left -= length;
    }
    return false;
}

/// Whether libzstd's one-call decoder takes all frames. It checks a frame's size where the streaming one
/// forgets to: when the last block is empty.
[[nodiscard]] inline bool oneCallDecodes(const QByteArray& bytes, std::size_t most) {
    std::vector<char> into(most + 1);
    return ZSTD_isError(ZSTD_decompress(into.data(), into.size(), bytes.constData(),
                                        static_cast<std::size_t>(bytes.size()))) == 0;
}

[[nodiscard]] inline std::uint64_t numberOf(const Outcome& outcome, std::string_view key) {
    const auto* value = outcome.find(key);
    return value == nullptr ? UINT64_MAX : std::get<std::uint64_t>(value->data);
}

[[nodiscard]] inline std::string wordOf(const Outcome& outcome, std::string_view key) {
    const auto* value = outcome.find(key);
    return value == nullptr ? "absent" : std::get<std::string>(value->data);
}

}  // namespace mmapscope::testing
