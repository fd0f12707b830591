// What Live knows of each arm: its latest run, live or finished. No drawing here.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "study/study.h"
#include "widgets/live_track.h"

namespace mmapscope {

struct LiveArm {
    QString id;
    bool visible = true;
    bool running = false;                                       ///< between runStarted and runEnded
    bool finished = false;                                      ///< what is shown is a finished run
    LiveTrack levels;                                           ///< from samples
    LiveTrack rates;                                            ///< from stamps; empty while live
    Nanoseconds window{0};                                      ///< of the rates from stamps
    Nanoseconds wall{0};                                        ///< finished only
    std::uint64_t bytes = 0, minorFaults = 0, majorFaults = 0;  ///< totals; finished only
    Phase phase = Phase::measured;
    unsigned round = 0;
    std::optional<MappingFacts> inspected;  ///< largest figures of the mapping in its inspection run
    QString problem;                        ///< why its last run gave nothing to show

    [[nodiscard]] const LiveTrack& trackOf(LiveColumn column) const;
    /// Of a huge-page column, from the inspection run; absent (NaN) when it has none.
    [[nodiscard]] double inspectedValue(LiveColumn column) const;
    [[nodiscard]] bool hasPoints() const { return !levels.isEmpty() || !rates.isEmpty(); }
    /// When its last point was.
    [[nodiscard]] double endSeconds() const;

  private:
    friend class LiveStore;
    SampleFeed feed_;
    bool fresh_ = false;  ///< a run started whose first sample hasn't come
    std::int64_t lastNs_ = -1;
};

class LiveStore {
  public:
    void begin(const Study& planned);
    void clear() { arms_.clear(); }
    void runStarted(std::uint32_t arm, Phase phase, unsigned round);
    void addSamples(std::uint32_t arm, std::span<const Sample> samples);
    void runEnded(const RunRecord& record);
    /// begin(), then of every arm its last good measured run, or for want of one the last good one of any
    /// phase.
    void showStudy(const Study& study);

    [[nodiscard]] const std::vector<LiveArm>& arms() const { return arms_; }
    void setVisible(std::uint32_t arm, bool visible);
    [[nodiscard]] bool hasPoints() const;
    [[nodiscard]] bool hasFinished() const;
    /// Of the shown runs.
    [[nodiscard]] double longestSeconds() const;
    [[nodiscard]] double mostBytes() const;
    [[nodiscard]] std::size_t keptPoints() const;

  private:
    std::vector<LiveArm> arms_;
};

}  // namespace mmapscope
