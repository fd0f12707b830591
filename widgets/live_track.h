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

enum class LiveColumn : unsigned {
    throughput,  ///< bytes/s of the file
    minorRate,   ///< 1/s
    majorRate,
    minorTotal,
    majorTotal,
    anon,        ///< bytes, RssAnon
    file,        ///< RssFile
    shmem,       ///< RssShmem
    huge,        ///< HugetlbPages
    hugeBacked,  ///< AnonHugePages + FilePmdMapped + ShmemPmdMapped + HugetlbPages
    pageTables,
    thpEligible,  ///< 0 or 1
    anonHuge,
    pmdMapped,  ///< FilePmdMapped + ShmemPmdMapped
    poolFree,   ///< bytes
    poolTotal,
    storageRate,      ///< bytes/s read from storage
    voluntaryRate,    ///< context switches, 1/s
    involuntaryRate,  ///< 1/s
    // Of the whole machine:
    shootdownRate,   ///< 1/s
    refaultRate,     ///< pages/s
    memoryPressure,  ///< % of time in which some task waited
    ioPressure,
    count
};
inline constexpr std::size_t kLiveColumns = static_cast<std::size_t>(LiveColumn::count);

/// Of the machine, not of the arm: holds for the time since the look before, not for a moment.
[[nodiscard]] constexpr bool isOfMachine(LiveColumn column) {
    return column >= LiveColumn::shootdownRate && column <= LiveColumn::ioPressure;
}

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
    /// Gives the rows from `seconds` on the value; `inclusive`: also the row of that very time.
    void fillFrom(double seconds, bool inclusive, LiveColumn column, double value);

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
/// none or several. Totals of the machine are looked at more seldom than samples are taken (the others repeat
/// what was seen last), so their rates are means from one look to the next, given to all rows between.
class SampleFeed {
  public:
    static constexpr Nanoseconds kWindow = std::chrono::milliseconds(50);
    /// Looks at the machine are no closer together.
    static constexpr Nanoseconds kMachineWindow = std::chrono::milliseconds(90);

    void restart();
    /// `last`: the run's last sample, for which everything was looked at anew.
    void feed(const Sample& sample, LiveTrack& track, bool last = false);

  private:
    static constexpr std::size_t kCounters = 6;  ///< those of kRates
    static constexpr std::size_t kMachineTotals = 4;
    template <std::size_t Count>
    struct Totals {
        std::int64_t tNs = 0;
        std::array<std::uint64_t, Count> values{};
    };
    using Counters = Totals<kCounters>;
    using Machine = Totals<kMachineTotals>;

    [[nodiscard]] static Counters countersOf(const Sample& sample);
    [[nodiscard]] static Counters atStart();
    void addRates(const Counters& now, LiveRow& row);
    void keep(const Counters& now);
    void feedMachine(const Sample& sample, LiveTrack& track, bool last);

    std::vector<Counters> recent_{atStart()};
    Machine before_, from_, seen_;  ///< the last look but one, the last one, and the last sample
};

}  // namespace mmapscope
