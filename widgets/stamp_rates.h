// From running totals at span borders to rates that can be read as a curve.
#pragma once

#include <cstddef>
#include <vector>

#include "run/run_record.h"

namespace mmapscope {

/// Totals at `seconds` and their mean rates over the window around it.
struct RateRow {
    double seconds = 0;
    double bytes = 0;
    double bytesPerSecond = 0;
    double minorFaults = 0;
    double minorFaultsPerSecond = 0;
};

/// The window a rate is the mean over: 1/64 of the run, but never less than eight typical stamp distances, so
/// that one late stamp isn't a spike. 0 for no stamps.
[[nodiscard]] Nanoseconds rateWindow(const Stamps& stamps);

/// Rates at `count` evenly spaced times from 0 to the last stamp. The totals are taken as linear between
/// stamps and the window is cut at both ends of the run, so nothing is counted outside it. Times that run
/// backwards (a damaged file) are held. Empty for fewer than two stamps or no time passed.
[[nodiscard]] std::vector<RateRow> ratesOf(const Stamps& stamps, std::size_t count);

}  // namespace mmapscope
