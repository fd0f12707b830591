// What of a file was in the page cache before, during and after a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/units.h"

namespace mmapscope {

struct ResidencyHistory {
    /// Of one look: 0 none to 255 all of the cell's pages, a cell being an equal part of the file.
    struct Look {
        std::int64_t tNs = 0;  ///< since the run's clock started; below 0: before it
        std::vector<std::uint8_t> cells = {};
        bool sampled = false;  ///< an estimate: not all pages of each cell were looked at
    };
    std::vector<Look> looks = {};  ///< the first before, the last after the run; empty: `reason`
    std::string reason = {};       ///< why there are none ("not your file")
    Bytes fileBytes = {};          ///< what the cells are parts of; 0: not told
};

}  // namespace mmapscope
