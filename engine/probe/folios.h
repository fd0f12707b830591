// How large the page cache's folios of a file are: what decides the cost of touching a mapping of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/units.h"
#include "probe/file_facts.h"

namespace mmapscope {

struct FolioLook {
    unsigned places = 0;  ///< places of the file that were looked at and resident
    /// Bytes one fault maps (/proc/self/pagemap after touching one page): the folio, or the kernel's
    /// fault-around window (64 KiB by default) where folios are smaller than that.
    Bytes meanMapped, largestMapped;
    /// The folios themselves (/proc/kpageflags); absent without CAP_SYS_ADMIN.
    std::optional<Bytes> meanFolio, largestFolio;
    /// Places by the size of their folio, smallest first (by what one fault mapped, where folios aren't
    /// told). Places are spread evenly over the bytes, so that a share of places is one of bytes.
    struct Share {
        Bytes size;
        unsigned places = 0;
    };
    std::vector<Share> sizes;

    /// What the places of `sizes` add up to: 100 %.
    [[nodiscard]] unsigned placesTold() const;
};
/// "2 MiB 88 %, 64 KiB 12 %", largest share first; of more than `most` sizes the rest in one:
/// "2 MiB 75 %, 64 KiB 13 %, other sizes 12 %".
[[nodiscard]] std::string folioText(const FolioLook& look, std::size_t most = SIZE_MAX);

/// Looks at up to `places` resident places spread over the range (of a folder: over its files as one),
/// through a mapping of its own, 2 MiB at a time. Reads nothing from storage: places that aren't resident are
/// left out. Error: unavailable, when none is resident, the file isn't ours, or pagemap can't be read.
[[nodiscard]] Result<FolioLook> lookAtFolios(const FileFacts& file, Range range, unsigned places = 16);

}  // namespace mmapscope
