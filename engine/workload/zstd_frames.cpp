#include "workload/zstd_frames.h"

#include <fmt/format.h>

#include <algorithm>

namespace mmapscope {
namespace {

constexpr std::size_t kBlockHeader = 3;
constexpr std::size_t kChecksum = 4;

/// A small window on the file that moves forward. Small, because most block headers lie ~100 KiB apart and
/// what is read around them is wasted; more than a header, because runs of repeated bytes make blocks of 4
/// bytes.
class Peek {
  public:
    Peek(const InputFile& file, Bytes limit, std::uint64_t budget)
        : file_(file), limit_(limit), budget_(budget) {}

    /// Up to `count` bytes at `offset`, fewer at the limit.
    Result<std::span<const std::byte>> at(Bytes offset, std::size_t count) {
        if (offset >= limit_) {
            return std::span<const std::byte>();
        }
        count = static_cast<std::size_t>(std::min<std::uint64_t>(count, (limit_ - offset).count()));
        if (offset < begin_ || offset + Bytes(count) > begin_ + Bytes(length_)) {
            if (budget_ == 0) {
                exhausted_ = true;
                return std::span<const std::byte>();
            }
            --budget_;
            auto got = file_.readAt(offset, buffer_);
            if (!got) {
                return tl::unexpected(got.error());
            }
            begin_ = offset;
            length_ = *got;
        }
        const std::size_t from = (offset - begin_).size();
        return std::span<const std::byte>(buffer_).subspan(from, std::min(count, length_ - from));
    }
    [[nodiscard]] bool exhausted() const { return exhausted_; }

  private:
    const InputFile& file_;
    Bytes limit_;
    std::uint64_t budget_;
    bool exhausted_ = false;
    Bytes begin_;
    std::size_t length_ = 0;
    std::array<std::byte, 2048> buffer_{};
};

struct Step {
    std::optional<Bytes> end;  ///< of the frame; absent: broken, with the reason
    std::string reason;
};

Step brokenAt(Bytes offset, std::string_view what) {
    return {std::nullopt, fmt::format("{} at offset {}", what, offset.count())};
}

/// From the first block header to the frame's end.
Result<Step> blocksFrom(Peek& peek, Bytes at, bool checksum, Bytes limit) {
    for (;;) {
        const auto bytes = peek.at(at, kBlockHeader);
        if (!bytes) {
            return tl::unexpected(bytes.error());
        }
        if (bytes->size() < kBlockHeader) {
            return brokenAt(at, "the file ends inside a frame,");
        }
        const std::uint64_t header = littleEndian(*bytes);
        const bool last = (header & 1U) != 0;
        const std::uint64_t type = (header >> 1U) & 3U;
        if (type == 3) {
            return brokenAt(at, "a block of the reserved type");
        }
        // Type 1 repeats one byte as often as the size says.
        at += Bytes(kBlockHeader + (type == 1 ? 1 : header >> 3U));
        if (last) {
            at += Bytes(checksum ? kChecksum : 0);
        }
        if (at > limit) {
            return brokenAt(limit, "the file ends inside a frame,");
        }
        if (last) {
            return Step{at, {}};
        }
    }
}

Result<Step> frameAt(Peek& peek, Bytes at, Bytes limit, ZstdFrame& frame) {
    const auto bytes = peek.at(at, kMaxFrameHeader);
    if (!bytes) {
        return tl::unexpected(bytes.error());
    }
    const ZstdMagic magic = zstdMagic(*bytes);
    frame = ZstdFrame{at, at, magic == ZstdMagic::skippable, {}};
    if (magic == ZstdMagic::skippable) {
        if (bytes->size() < kSkippableHeader) {
            return brokenAt(at, "a skippable frame that isn't whole");
        }
        const Bytes end = at + Bytes(kSkippableHeader + littleEndian(bytes->subspan(4, 4)));
        return end > limit ? brokenAt(at, "a skippable frame that isn't whole") : Step{end, {}};
    }
    if (magic != ZstdMagic::frame) {
        return brokenAt(at,
                        magic == ZstdMagic::legacy ? "a frame of a zstd older than 0.8" : "no zstd frame");
    }
    const auto header = parseFrameHeader(*bytes);
    if (!header) {
        return brokenAt(at, "a frame header that isn't whole");
    }
    frame.header = *header;
    return blocksFrom(peek, at + Bytes(header->length), header->checksum, limit);
}

}  // namespace

Result<FrameWalk> walkFrames(const InputFile& file, Bytes limit,
                             const std::function<bool(const ZstdFrame&)>& visit, std::uint64_t budget) {
    Peek peek(file, limit, budget);
    FrameWalk walk;
    while (walk.end < limit) {
        ZstdFrame frame;
        auto step = frameAt(peek, walk.end, limit, frame);
        if (!step) {
            return tl::unexpected(step.error());
        }
        if (peek.exhausted()) {
            walk.exhausted = true;
            break;
        }
        if (!step->end) {
            walk.broken = std::move(step->reason);
            break;
        }
        frame.end = *step->end;
        if (!visit(frame)) {
            break;
        }
        walk.end = frame.end;
    }
    return walk;
}

}  // namespace mmapscope
