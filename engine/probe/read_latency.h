// How long the storage takes for one small read that no cache of this kernel answers: what tells a disk that
// has to seek from one that doesn't, whatever it claims.
#pragma once

#include <chrono>
#include <stop_token>

#include "core/result.h"
#include "core/units.h"
#include "probe/file_facts.h"

namespace mmapscope {

struct ReadLatency {
    unsigned reads = 0;
    Bytes size;  ///< of each: a page
    std::chrono::nanoseconds median{0}, longest{0};
};

/// Reads single pages at random places of the file (of a folder: of its largest file) with O_DIRECT, one
/// after the other, until `budget` is used up or 64 are done; only the read that is under way then may take
/// longer. Writes nothing. In a virtual machine the host may answer from its own cache. Error: unavailable,
/// for files that are too small, with holes, not written to storage yet or not on storage of this machine's
/// own, and where O_DIRECT is refused; cancelled.
[[nodiscard]] Result<ReadLatency> measureReadLatency(
    const FileFacts& file, const std::stop_token& stop = {},
    std::chrono::nanoseconds budget = std::chrono::milliseconds(150));

}  // namespace mmapscope
