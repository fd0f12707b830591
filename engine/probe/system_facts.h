// Facts of this machine that a study records and `doctor` explains.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/units.h"

namespace mmapscope {

/// One finding of `doctor`: a capability, whether it is there, why not and how to unlock it.
struct Capability {
    std::string id;     ///< "hugetlb-2mib", "perf-page-faults", "io-uring", "cachestat" …
    std::string title;  ///< for people
    bool available = false;
    std::string detail;  ///< the fact itself ("0 of 0 free"), or the reason it is missing
    std::string unlock;  ///< command or setting; empty when nothing would help or nothing is missing
};
[[nodiscard]] std::vector<Capability> capabilities();

/// The bracketed word of a sysfs choice ("always [madvise] never" → "madvise"); nullopt when there is none.
[[nodiscard]] std::optional<std::string> bracketedChoice(std::string_view text);

/// A small text file of /proc or /sys. Error: unavailable with the kernel's words.
[[nodiscard]] Result<std::string> readKernelText(const std::string& path);

}  // namespace mmapscope
