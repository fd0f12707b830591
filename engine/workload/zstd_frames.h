// Walks the frames of a zstd file by their headers and block headers, decoding nothing: a few bytes are read
// for every block of up to 128 KiB of content.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "workload/zstd_format.h"

namespace mmapscope {

struct ZstdFrame {
    Bytes begin;
    Bytes end;
    bool skippable = false;
    ZstdFrameHeader header;  ///< meaningless for a skippable frame
};

/// How a walk ended.
struct FrameWalk {
    Bytes end;  ///< where the last whole frame ends
    /// What stands there instead of a frame; absent when the file's end was reached or the visitor said stop.
    std::optional<std::string> broken;
    bool exhausted = false;  ///< stopped by the budget
};

/// Calls `visit` for every whole frame of [0, limit) in order until it returns false. A frame that isn't
/// whole within `limit` ends the walk as broken. `budget`: at most so many reads of the file. Error: input
/// (unreadable).
[[nodiscard]] Result<FrameWalk> walkFrames(const InputFile& file, Bytes limit,
                                           const std::function<bool(const ZstdFrame&)>& visit,
                                           std::uint64_t budget = UINT64_MAX);

}  // namespace mmapscope
