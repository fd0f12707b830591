// engine=oneshot: each frame in one call of ZSTD_decompressDCtx, which needs all of its compressed bytes next
// to each other and room for all of its content. A span that holds the whole frame is decoded where it lies;
// otherwise the frame is gathered first.
#define ZSTD_STATIC_LINKING_ONLY
#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "core/text.h"
#include "probe/meminfo.h"
#include "workload/zstd_decoder.h"
#include "workload/zstd_memory.h"

namespace mmapscope {
namespace {

constexpr std::size_t kBlockHeader = 3;
constexpr std::size_t kChecksum = 4;
constexpr std::size_t kFirstGather = std::size_t{1} << 20U;

class ZstdOneshot final : public ZstdDecoder {
  public:
    ZstdOneshot(Bytes most, ZstdOptions options, const WorkloadInput& input, ZstdContext made)
        : ZstdDecoder(std::move(options), input, std::move(made)), most_(most.count()) {}

    Status consume(std::span<const std::byte> bytes) override {
        while (!bytes.empty()) {
            if (inSkippable()) {
                auto rest = passSkippable(bytes);
                if (!rest) {
                    return tl::unexpected(rest.error());
                }
                bytes = *rest;
                continue;
            }
            const bool fromItsStart = header().empty();
            const auto taken = take(bytes);
            if (!taken) {
                return tl::unexpected(taken.error());
            }
            const auto part = bytes.first(*taken);
            bytes = bytes.subspan(*taken);
            if (inSkippable() || (!begun_ && header().empty())) {
                gathered_ = 0;  // only the header of a skippable frame
            } else if (whole_ && fromItsStart) {
                if (auto status = decode(part); !status) {
                    return status;
                }
            } else {
                if (auto status = gather(part); !status) {
                    return status;
                }
                if (whole_) {
                    if (auto status = decode({gather_.data(), gathered_}); !status) {
                        return status;
                    }
                }
            }
        }
        return {};
    }

  private:
    /// Follows the frame by its block headers to its end or the end of `bytes`; returns how many are the
    /// frame's.
    Result<std::size_t> take(std::span<const std::byte> bytes) {
        std::size_t at = 0;
        while (at < bytes.size() && !whole_) {
            if (!begun_) {
                at += keepHeader(bytes.subspan(at), headerNeeds());
                if (header().size() == headerNeeds()) {
                    if (auto status = begin(); !status) {
                        return tl::unexpected(status.error());
                    }
                    if (!begun_) {
                        return at;
                    }
                }
            } else if (left_ > 0) {
                const std::size_t passed = std::min(bytes.size() - at, left_);
                used(passed);
                left_ -= passed;
                at += passed;
                whole_ = left_ == 0 && last_;
            } else {
                used(1);
                blockHeader_ |= static_cast<std::uint32_t>(bytes[at++]) << (8 * blockHeaderLength_++);
                if (blockHeaderLength_ == kBlockHeader) {
                    if (auto status = beginBlock(); !status) {
                        return tl::unexpected(status.error());
                    }
                }
            }
        }
        return at;
    }

    Status begin() {
        const auto opened = openFrame();
        if (!opened) {
            return tl::unexpected(opened.error());
        }
        if (!*opened) {
            return {};
        }
        if (!(*opened)->content) {
            return fail(
                ErrorKind::unavailable,
                fmt::format("the frame at offset {} doesn't state its content size, which engine=oneshot "
                            "needs: use engine=stream or engine=ring",
                            frameBegin().count()));
        }
        content_ = *(*opened)->content;
        if (content_ > most_) {
            return tooLarge(content_);
        }
        checksum_ = (*opened)->checksum;
        longest_ = std::min<std::uint64_t>((*opened)->window, ZSTD_BLOCKSIZE_MAX);
        blocks_ = 0;
        blockHeader_ = 0;
        blockHeaderLength_ = 0;
        left_ = 0;
        last_ = false;
        whole_ = false;
        begun_ = true;
        return {};
    }

    Status beginBlock() {
        const std::uint32_t type = (blockHeader_ >> 1U) & 3U;
        const std::size_t size = blockHeader_ >> 3U;
        last_ = (blockHeader_ & 1U) != 0;
        if (type == 3) {
            return corrupt("a block of the reserved type");
        }
        if (size > longest_) {
            return corrupt("a block longer than the frame's window allows");
        }
        ++blocks_;
        left_ = (type == 1 ? 1 : size) + (last_ && checksum_ ? kChecksum : 0);
        whole_ = left_ == 0 && last_;
        blockHeader_ = 0;
        blockHeaderLength_ = 0;
        return {};
    }

    Status gather(std::span<const std::byte> part) {
        if (gathered_ + part.size() > most_) {
            return tooLarge(gathered_ + part.size());
        }
        if (gathered_ + part.size() > gather_.size()) {
            const std::size_t room = std::max({gathered_ + part.size(), 2 * gather_.size(), kFirstGather});
            if (!gather_.reserve(std::min<std::size_t>(room, most_), gathered_)) {
                return noMemory();
            }
        }
        std::memcpy(gather_.data() + gathered_, part.data(), part.size());
        gathered_ += part.size();
        return pacer().advance(part.size());
    }

    Status decode(std::span<const std::byte> frame) {
        // No more is allocated than these blocks can hold, whatever the header claims.
        if (content_ > blocks_ * longest_) {
            return corrupt("its blocks can't hold the content size that its header states");
        }
        const auto size = static_cast<std::size_t>(content_);
        if (!decoded_.reserve(std::max<std::size_t>(size, 1))) {
            return noMemory();
        }
        // Nothing can stop libzstd within the frame.
        if (auto status = pacer().advance(Pacer::kSlice); !status) {
            return status;
        }
        const std::size_t made =
            ZSTD_decompressDCtx(context(), decoded_.data(), size, frame.data(), frame.size());
        if (ZSTD_isError(made) != 0) {
            return decodeError(made);
        }
        for (std::size_t at = 0; at < made; at += Pacer::kSlice) {
            const std::size_t slice = std::min(Pacer::kSlice, made - at);
            if (auto status = deliver({decoded_.data() + at, slice}); !status) {
                return status;
            }
            if (auto status = pacer().advance(slice); !status) {
                return status;
            }
        }
        begun_ = false;
        whole_ = false;
        gathered_ = 0;
        endFrame();
        return {};
    }

    tl::unexpected<Error> tooLarge(std::uint64_t bytes) const {
        return fail(ErrorKind::unavailable,
                    fmt::format("engine=oneshot needs {} at once for the frame at offset {}, and half of the "
                                "available memory is {}: use engine=stream or engine=ring",
                                formatBytes(Bytes(bytes)), frameBegin().count(), formatBytes(Bytes(most_))));
    }

    std::uint64_t most_;  ///< the largest buffer
    ZstdBuffer decoded_;
    ZstdBuffer gather_;
    std::size_t gathered_ = 0;
    std::uint64_t content_ = 0;
    std::uint64_t longest_ = 0;  ///< block
    std::uint64_t blocks_ = 0;
    std::uint32_t blockHeader_ = 0;
    std::size_t blockHeaderLength_ = 0;
    std::size_t left_ = 0;  ///< of the block's bytes, and of the checksum after the last
    bool last_ = false;
    bool checksum_ = false;
    bool begun_ = false;  ///< the header is read
    bool whole_ = false;  ///< the frame's end is reached
};

}  // namespace

Result<std::unique_ptr<Workload>> makeZstdOneshot(ZstdOptions options, const WorkloadInput& input) {
    const auto memory = readMeminfo();
    if (!memory || !memory->available) {
        return fail(ErrorKind::unavailable,
                    "engine=oneshot must know how much memory is available, and the kernel "
                    "doesn't say (/proc/meminfo): use engine=stream or engine=ring");
    }
    auto made = makeZstdContext(options);
    if (!made) {
        return tl::unexpected(made.error());
    }
    return std::make_unique<ZstdOneshot>(Bytes(memory->available->count() / 2), std::move(options), input,
                                         std::move(*made));
}

}  // namespace mmapscope
