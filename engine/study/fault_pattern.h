// What a fault trace shows: how far apart the faults lie, and how much each of them mapped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/study.h"

namespace mmapscope {

struct FaultPattern {
    /// From one fault in the file to the next one in the file by the same thread, in bytes; below 0:
    /// backwards.
    struct Stride {
        std::int64_t bytes = 0;
        std::uint64_t count = 0;
    };
    /// Pages that were there after a fault and are not faulted on again: to the next place in the file where
    /// any thread faults. True of threads that walk forward and touch every page.
    struct Mapped {
        std::uint64_t pages = 0;
        std::uint64_t count = 0;
    };
    std::uint64_t faults = 0;     ///< recorded
    std::uint64_t inFile = 0;     ///< of them in the file's mappings
    std::uint64_t major = 0;      ///< of them from storage
    std::uint64_t lost = 0;       ///< not recorded
    bool userOnly = false;        ///< faults inside system calls are not among them
    std::vector<Stride> strides;  ///< most frequent first
    std::vector<Mapped> mapped;   ///< fewest pages first; `end` of the last fault: the end of the file
};
/// `fileBytes`: where the last fault's pages end.
[[nodiscard]] FaultPattern faultPattern(const FaultTrace& trace, Bytes fileBytes);

/// "mmap: 4,112 faults, 4,096 of them in the file; 99 % come 64 KiB after the one before: each maps 16
/// pages".
[[nodiscard]] std::string faultSentence(const std::string& arm, const FaultPattern& pattern);

/// What tracing (and inspecting) cost: the traced run beside the arm's untraced ones. Absent where one of
/// them is missing.
struct TraceCost {
    Nanoseconds traced{0};
    Nanoseconds untraced{0};  ///< median of the ranked runs, else the warm-up's
};
[[nodiscard]] std::optional<TraceCost> traceCost(const Study& study, std::uint32_t arm);

/// The arm's traced run, or nullptr.
[[nodiscard]] const RunRecord* tracedRun(const Study& study, std::uint32_t arm);

/// Where getrusage(2) and perf events honestly disagree about an arm's faults: one line an arm, with both by
/// name. MAP_POPULATE's and madvise's faults are counted by the first alone.
[[nodiscard]] std::vector<std::string> faultDisagreements(const Study& study);

}  // namespace mmapscope
