// What the page cache's bytes cost by a mapping and by a copy, on this machine, of this file, as it is cached
// now.
#pragma once

#include <chrono>

#include "core/result.h"
#include "probe/file_facts.h"

namespace mmapscope {

struct TouchCost {
    Bytes bytes;                         ///< each time below is for so many
    std::chrono::nanoseconds mapped{0};  ///< map, add all words up, unmap
    std::chrono::nanoseconds copied{0};  ///< read by 64 KiB, add all words up
};

/// Medians over a few rounds in turn, on one stretch of at most 16 MiB from the file's beginning; a few
/// milliseconds, read-only. Error: unavailable, where it can't be mapped or read; changed, when it shrank
/// meanwhile. Precondition: that stretch is cached, or storage is measured too.
[[nodiscard]] Result<TouchCost> measureTouchCost(const FileFacts& file);

}  // namespace mmapscope
