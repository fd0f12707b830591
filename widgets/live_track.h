// The points of one run, bounded: when there are too many, neighbours are merged into their lowest and
// highest.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "run/run_record.h"
#include "run/sample.h"
#include "widgets/envelope.h"

namespace mmapscope {

enum class LiveColumn : std::size_t {
    throughput,  ///< bytes/s of the file
    minorRate,   ///< 1/s
    majorRate,
    minorTotal,
    majorTotal,
    anon,  ///< bytes
    file,  ///< RssFile + RssShmem
    huge,  ///< HugetlbPages
    pageTables,
    thpEligible,  ///< 0 or 1
    anonHuge,
    pmdMapped,  ///< FilePmdMapped + ShmemPmdMapped
    poolFree,   ///< bytes
    poolTotal,
    count
};
inline constexpr std::size_t kLiveColumns = static_cast<std::size_t>(LiveColumn::count);

/// NaN stands for "not available".
inline constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

struct LiveRow {
    double seconds = 0;
    double bytes = 0;  ///< of the file, done so far
    std::array<double, kLiveColumns> values = filled();

    [[nodiscard]] double& operator[](LiveColumn column) { return values[static_cast<std::size_t>(column)]; }
    [[nodiscard]] double operator[](LiveColumn column) const {
        return values[static_cast<std::size_t>(column)];
    }

  private:
    static constexpr std::array<double, kLiveColumns> filled() {
        std::array<double, kLiveColumns> values{};
        values.fill(kAbsent);
        return values;
    }
};

class LiveTrack {
  public:
    static constexpr std::size_t kMaxRows = 4096;

    void clear() { rows_.clear(); }
    /// Rows come in order of time.
    void append(const LiveRow& row);
    [[nodiscard]] const std::vector<LiveRow>& rows() const { return rows_; }
    [[nodiscard]] bool isEmpty() const { return rows_.empty(); }

    /// Points up to `untilSeconds`, values times `scale`; empty when the column was never available.
    [[nodiscard]] std::vector<PlotPoint> series(LiveColumn column, bool bytesAxis, double scale,
                                                double untilSeconds) const;
    /// The largest value; absent (NaN) when the column was never available.
    [[nodiscard]] double highest(LiveColumn column) const;

  private:
    void thin();

    std::vector<LiveRow> rows_;
};

/// Turns samples (running totals) into rows. Rates are the mean since the newest sample that is at least
/// kWindow older, or since the run's start: counters move only at span borders, of which a sample may see
/// none or several.
class SampleFeed {
  public:
    static constexpr Nanoseconds kWindow = std::chrono::milliseconds(50);

    void restart();
    void feed(const Sample& sample, LiveTrack& track);

  private:
    struct Totals {
        std::int64_t tNs = 0;
        std::uint64_t bytes = 0, minorFaults = 0, majorFaults = 0;
    };
    std::vector<Totals> recent_{Totals{}};
};

}  // namespace mmapscope
