// Which arms are ticked when a file is opened: one table, by what the file is and where it lies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "probe/file_facts.h"
#include "source/source.h"

namespace mmapscope {

/// A source's id and its parameters in the form parseParameters reads.
struct ArmChoice {
    std::string_view source;
    std::string_view parameters = {};
};

/// The arms worth a first look, the baseline first. Sources that keep the whole file in memory are left out
/// when the file is larger than half of `memory`.
[[nodiscard]] std::vector<ArmChoice> presetArms(std::string_view workload, StorageClass storage,
                                                Bytes fileBytes, Bytes memory);

/// Physical memory (sysconf(3) _SC_PHYS_PAGES).
[[nodiscard]] Bytes physicalMemory();

}  // namespace mmapscope
