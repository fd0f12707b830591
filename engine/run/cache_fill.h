// Evicting a file's pages from the page cache and reading them in, in pieces that honour a stop.
#pragma once

#include <functional>
#include <stop_token>

#include "core/result.h"
#include "core/units.h"

namespace mmapscope {

/// Done bytes of the step; may be empty.
using FillProgress = std::function<void(Bytes)>;

/// sync_file_range(2) in pieces, then fdatasync(2): dirty pages can't be evicted. The file's bytes stay what
/// they are. A filesystem that can't sync a read-only descriptor is no error: verification tells.
[[nodiscard]] Status writeBack(int fd, Range range, const std::stop_token& stop);

/// POSIX_FADV_DONTNEED over the range, widened to whole folios. Pages that are mapped, dirty or in use stay.
[[nodiscard]] Status evict(int fd, Range range, const std::stop_token& stop, const FillProgress& progress);

/// Reads in order, 1 MiB a call, under the kernel's normal readahead.
[[nodiscard]] Status fillSequentially(int fd, Range range, const std::stop_token& stop,
                                      const FillProgress& progress);

/// Reads in order under POSIX_FADV_RANDOM: readahead is off then and the kernel gives every page a folio of
/// its own, however large the call (force_page_cache_ra in mm/readahead.c), so that large calls cost no
/// requests of 4 KiB.
[[nodiscard]] Status fillWithSmallFolios(int fd, Range range, const std::stop_token& stop,
                                         const FillProgress& progress);

/// Reads only what mincore(2) says is missing; the rest keeps the folios it has.
[[nodiscard]] Status fillMissing(int fd, Range range, const std::stop_token& stop,
                                 const FillProgress& progress);

}  // namespace mmapscope
