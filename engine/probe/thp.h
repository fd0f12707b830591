// The settings of transparent huge pages (Documentation/admin-guide/mm/transhuge.rst).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/units.h"

namespace mmapscope {

/// One folio size, hugepages-<size>kB/ (multi-size THP, Linux 6.8); the words in brackets.
struct ThpSize {
    Bytes size;
    std::optional<std::string> enabled;       ///< for anonymous memory
    std::optional<std::string> shmemEnabled;  ///< for shared memory; absent for sizes it can't have
    friend bool operator==(const ThpSize&, const ThpSize&) = default;
};

struct ThpSettings {
    std::optional<std::string> enabled, defrag, shmemEnabled;  ///< the word in brackets
    std::vector<ThpSize> sizes = {};                           ///< smallest first; empty: not told here
};

/// What can't be read is absent. `sysRoot` is /sys.
[[nodiscard]] ThpSettings readThpSettings(const std::string& sysRoot = "/sys");

}  // namespace mmapscope
