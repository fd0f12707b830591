// What a sweep's charts draw: a line an arm of throughput and of each count that explains it.
#pragma once

#include <QString>
#include <array>
#include <optional>
#include <vector>

#include "study/study.h"
#include "widgets/sweep_chart.h"

namespace mmapscope {

/// `refaults`: pages of the file that the capped group evicted and read again (kGroupRefaults).
enum class SweepCount { majorFaults, minorFaults, refaults, storageRead };
inline constexpr std::size_t kSweepCounts = 4;

struct SweepFigures {
    std::vector<SweepLine> rates;                             ///< MiB/s
    std::array<std::vector<SweepLine>, kSweepCounts> counts;  ///< by SweepCount; reading in MiB
    std::vector<SweepMark> marks;
    std::optional<Bytes> cap;
    bool decoded = false;  ///< throughput is of what comes out
};
[[nodiscard]] SweepFigures sweepFigures(const Study& sweep);

/// As a choice: "major faults".
[[nodiscard]] QString sweepCountName(SweepCount count);
/// On an axis: "major faults, a run".
[[nodiscard]] QString sweepCountLabel(SweepCount count);
[[nodiscard]] QString sweepRateLabel(const SweepFigures& figures);

}  // namespace mmapscope
