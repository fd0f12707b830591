// engine=ring: ZSTD_decompressContinue decodes block after block into a ring of one window and one block, and
// the bytes are handed on from there: no copy out of the window, which ZSTD_decompressStream makes of them.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "workload/zstd_decoder.h"
#include "workload/zstd_memory.h"

namespace mmapscope {

#if MMAPSCOPE_ZSTD_RING

namespace {

/// What libzstd takes for the smallest window (ZSTD_WINDOWLOG_ABSOLUTEMIN).
constexpr std::uint64_t kLeastWindow = 1024;

class ZstdRing final : public ZstdDecoder {
  public:
    ZstdRing(ZstdOptions options, const WorkloadInput& input, ZstdContext made)
        : ZstdDecoder(std::move(options), input, std::move(made)), carry_(ZSTD_BLOCKSIZE_MAX) {
        countHeap(carry_.size());
    }

    Status consume(std::span<const std::byte> bytes) override {
        while (!bytes.empty()) {
            if (inSkippable()) {
                auto rest = passSkippable(bytes);
                if (!rest) {
                    return tl::unexpected(rest.error());
                }
                bytes = *rest;
            } else if (!begun_) {
                bytes = bytes.subspan(keepHeader(bytes, headerNeeds()));
                if (header().size() == headerNeeds()) {
                    if (auto status = begin(); !status) {
                        return status;
                    }
                }
            } else {
                // libzstd wants exactly this much: a block's header, a block, or the checksum.
                const std::size_t needed = ZSTD_nextSrcSizeToDecompress(context());
                if (needed > carry_.size()) {
                    return corrupt("a block longer than 128 KiB");
                }
                std::span<const std::byte> piece = bytes.first(std::min(bytes.size(), needed - carried_));
                bytes = bytes.subspan(piece.size());
                if (carried_ != 0 || piece.size() < needed) {
                    std::memcpy(carry_.data() + carried_, piece.data(), piece.size());
                    carried_ += piece.size();
                    if (carried_ < needed) {
                        return {};
                    }
                    piece = std::span(carry_).first(needed);
                    carried_ = 0;
                }
                if (auto status = decode(piece); !status) {
                    return status;
                }
            }
        }
        return {};
    }

    Status finish() override {
        used(carried_);
        return ZstdDecoder::finish();
    }

  private:
    Status begin() {
        const auto opened = openFrame();
        if (!opened) {
            return tl::unexpected(opened.error());
        }
        if (!*opened) {
            return {};
        }
        const std::uint64_t window = std::max((*opened)->window, kLeastWindow);
        content_ = (*opened)->content.value_or(ZSTD_CONTENTSIZE_UNKNOWN);
        room_ = ZSTD_decodingBufferSize_min(window, content_);
        if (ZSTD_isError(room_) != 0) {
            return decodeError(room_);
        }
        // At most the window that window-log allows, a block and 64 bytes, whatever the header claims.
        if (!ring_.reserve(std::max<std::size_t>(room_, 1))) {
            return noMemory();
        }
        at_ = 0;
        block_ = static_cast<std::size_t>(std::min<std::uint64_t>((*opened)->window, ZSTD_BLOCKSIZE_MAX));
        const std::size_t began = ZSTD_decompressBegin_usingDDict(context(), dictionary().ready.get());
        if (ZSTD_isError(began) != 0) {
            return decodeError(began);
        }
        auto rest = header();
        while (!rest.empty()) {
            const std::size_t needed = ZSTD_nextSrcSizeToDecompress(context());
            if (needed > rest.size()) {
                return corrupt("a frame header of another length than its descriptor says");
            }
            const std::size_t read =
                ZSTD_decompressContinue(context(), ring_.data(), room_, rest.data(), needed);
            if (ZSTD_isError(read) != 0) {
                return decodeError(read);
            }
            rest = rest.subspan(needed);
        }
        begun_ = true;
        return {};
    }

    Status decode(std::span<const std::byte> piece) {
        std::byte* const into = ring_.data() + at_;
        const std::size_t made =
            ZSTD_decompressContinue(context(), into, room_ - at_, piece.data(), piece.size());
        if (ZSTD_isError(made) != 0) {
            return decodeError(made);
        }
        used(piece.size());
        at_ += made;
        if (auto status = deliver({into, made}); !status) {
            return status;
        }
        // Back to the start when another whole block might not fit, unless all of the frame does.
        if (room_ < content_ && at_ + block_ > room_) {
            at_ = 0;
        }
        if (ZSTD_nextSrcSizeToDecompress(context()) == 0) {
            begun_ = false;
            endFrame();
        }
        return pacer().advance(made + piece.size());
    }

    ZstdBuffer ring_;
    std::vector<std::byte> carry_;
    std::size_t carried_ = 0;    ///< bytes of the piece libzstd waits for, from earlier spans
    std::size_t room_ = 0;       ///< of the ring, for this frame
    std::size_t at_ = 0;         ///< where the next block goes
    std::size_t block_ = 0;      ///< the longest block of this frame, decoded
    std::uint64_t content_ = 0;  ///< as claimed
    bool begun_ = false;         ///< the header is read
};

}  // namespace

Result<std::unique_ptr<Workload>> makeZstdRing(ZstdOptions options, const WorkloadInput& input) {
    auto made = makeZstdContext(options);
    if (!made) {
        return tl::unexpected(made.error());
    }
    return std::make_unique<ZstdRing>(std::move(options), input, std::move(*made));
}

#else

// Resolved parameters never ask for it then: resolve writes engine=stream.
Result<std::unique_ptr<Workload>> makeZstdRing(ZstdOptions options, const WorkloadInput& input) {
    return makeZstdStream(std::move(options), input);
}

#endif

}  // namespace mmapscope
