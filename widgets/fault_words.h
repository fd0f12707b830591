// What the fault map says and counts, from a traced run and its pattern.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "study/fault_pattern.h"
#include "widgets/fault_histogram.h"
#include "widgets/fault_raster.h"
#include "widgets/traced_run.h"

namespace mmapscope {

/// "12.41 ms: minor fault at file offset 5.25 MiB, page 1,344, thread 1": the one under the crosshair.
[[nodiscard]] QString faultText(const TracedRun& run, std::size_t fault);
/// "4,096 faults of the file in view": while there is no crosshair.
[[nodiscard]] QString viewText(const FaultTotals& visible);
/// What makes the picture incomplete; empty when nothing does.
[[nodiscard]] QStringList faultWarnings(const TracedRun& run);
/// What it leaves out by nature, and what tracing cost.
[[nodiscard]] QStringList faultNotes(const TracedRun& run);
/// What hues and shapes mean, with how many faults have them, as rich text. `threads`: their number where
/// each has a hue, else 0.
[[nodiscard]] QString keyText(const FaultTotals& totals, std::uint32_t threads, const Theme& theme);

[[nodiscard]] std::vector<HistogramBin> strideBins(const FaultPattern& pattern, Bytes page);
[[nodiscard]] std::vector<HistogramBin> mappedBins(const FaultPattern& pattern);

}  // namespace mmapscope
