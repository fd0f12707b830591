// Figures of one arm over its runs, for every table that shows them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "study/study.h"

namespace mmapscope {

/// Medians over the arm's good measured runs. Absent where no run could tell: user and system time also where
/// runs are too short for the kernel's ticks to tell them apart.
struct ArmFigures {
    std::size_t runs = 0;
    std::optional<double> wallNs, setupNs, cpuNs, userNs, systemNs;
    std::optional<double> minorFaults, majorFaults, switches;
    std::optional<double> storageReadBytes;
    /// From the inspection run where measured runs, which carry counters only, don't know them.
    std::optional<double> peakPrivateBytes, peakHugetlbBytes, peakMappedCacheBytes;
};
[[nodiscard]] ArmFigures figuresOf(const Study& study, std::uint32_t arm);

/// Pages of files that a capped worker's group evicted and read again in the run, in RunRecord::counters.
inline constexpr std::string_view kGroupRefaults = "cgroup_workingset_refaults";
/// Median of one of the counters over the arm's good measured runs; nullopt: none has it.
[[nodiscard]] std::optional<double> medianCounter(const Study& study, std::uint32_t arm,
                                                  std::string_view counter);

/// Why user or system time of an arm that ran is absent, in words; empty where none is.
[[nodiscard]] std::string splitNote(const std::vector<ArmFigures>& arms);

/// Whether throughput is of the bytes that come out of the workload (zstd: decoded ones) instead of the
/// file's.
[[nodiscard]] bool countsDecodedBytes(const Study& study);

/// Whether a run takes part in the ranking: measured, good, and with nothing in it that costs time and other
/// runs don't have.
[[nodiscard]] bool isRanked(const RunRecord& run);

/// Wall times in nanoseconds of the arm's good measured runs, in the order they ran.
[[nodiscard]] std::vector<double> goodWalls(const Study& study, std::uint32_t arm);

}  // namespace mmapscope
