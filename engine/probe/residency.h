// How much of a file is in the page cache: cachestat(2) where the kernel has it and the filesystem keeps the
// pages itself, else mincore(2).
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/units.h"
#include "probe/file_facts.h"

namespace mmapscope {

struct Residency {
    Bytes resident;
    Bytes dirty;  ///< or under writeback; 0 with mincore, which can't tell
    Bytes total;
    bool dirtyKnown = false;  ///< cachestat(2) told
    [[nodiscard]] double fraction() const {
        return total.isZero() ? 1.0
                              : static_cast<double>(resident.count()) / static_cast<double>(total.count());
    }
};

/// Error: unavailable for a file that is neither ours nor writable (the kernel then answers "all resident").
[[nodiscard]] Result<Residency> residencyOf(const FileFacts& file, Range range);

/// Calls visit(offset, one mincore(2) byte a page) for windows of at most 1 GiB over the pages of `range`,
/// until it returns false. Precondition: the caller made sure that the file is ours. Error: unavailable.
[[nodiscard]] Status walkResidency(int fd, Range range,
                                   const std::function<bool(Bytes, std::span<const unsigned char>)>& visit);
/// What residencyOf falls back to where the kernel has no cachestat(2). Same precondition.
[[nodiscard]] Result<Residency> mincoreResidency(int fd, Range range);

/// One entry per `step` of the file: the share of its pages in the page cache, 0 to 1 (mincore, in windows of
/// at most 1 GiB so that it never maps a huge file at once). Empty for an empty file.
[[nodiscard]] Result<std::vector<float>> residencyMap(const FileFacts& file, std::size_t steps);

struct ResidencyPicture {
    std::vector<float> shares;  ///< as residencyMap gives them
    bool sampled = false;       ///< estimates: some step has more pages than were looked at
};
/// Like residencyMap, but never looks at more than `mostPages` pages, so that its cost has a bound whatever
/// the file's size (mincore(2): 70 ns a page at worst). Of larger files each step's share is that of
/// stretches of neighbouring pages spread over it, at least one a step. A folder is always looked at whole.
[[nodiscard]] Result<ResidencyPicture> residencyPicture(const FileFacts& file, std::size_t steps,
                                                        std::uint64_t mostPages);

}  // namespace mmapscope
