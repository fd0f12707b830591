// Live: what the arms of a study do over time (or over bytes done), in plots with one shared x axis.
#pragma once

#include <QStringList>
#include <QWidget>
#include <cstdint>
#include <memory>
#include <span>

#include "run/run_record.h"
#include "run/sample.h"
#include "study/study.h"

class QCustomPlot;

namespace mmapscope {

enum class LivePlotKind { throughput, faults, memory, hugePages, storage, scheduling, machine, pressure };

/// Of every arm the latest run is shown: while it works from its samples, once it has ended from its stamps
/// (throughput, faults), so that a run of 20 ms is a curve too. Keeps a bounded number of points whatever
/// comes.
class LivePanel : public QWidget {
    Q_OBJECT

  public:
    explicit LivePanel(QWidget* parent = nullptr);
    ~LivePanel() override;

    /// A study is about to run: its arms get their colours (by index), everything shown before is dropped.
    void begin(const Study& planned);
    /// What follows from addSamples belongs to this run. The arm's finished line stays until samples come.
    void runStarted(std::uint32_t arm, Phase phase, unsigned round);
    void addSamples(std::uint32_t arm, std::span<const Sample> samples);
    /// `study.runs.back()` just ended.
    void runEnded(const Study& study);
    /// A finished (or opened) study: the last good measured run of every arm; for want of one its inspection
    /// run.
    void showStudy(const Study& study);
    void clear();

    /// Drawing costs the arms: while true at most 4 refreshes a second come from data; interaction stays
    /// smooth.
    void setMeasuring(bool measuring);
    [[nodiscard]] bool isMeasuring() const;

    void setArmVisible(std::uint32_t arm, bool visible);
    [[nodiscard]] bool isArmVisible(std::uint32_t arm) const;
    void setBytesAxis(bool bytes);     ///< x is bytes done instead of time
    void setFaultTotals(bool totals);  ///< running totals instead of rates

    /// By the keys of widgets/live_series.h; unknown ones are ignored, and without any known one the
    /// choice is that of a first start. A plot is there while one of its series is shown.
    void setShownSeries(const QStringList& keys);
    [[nodiscard]] QStringList shownSeries() const;

    /// Slow motion of the finished runs, all arms from t = 0 at once. `slowdown` 1 is real time, 0 fits the
    /// longest run into 10 s. No effect while measuring or with nothing to replay.
    void startReplay(double slowdown);
    void stopReplay();  ///< back to the whole runs
    [[nodiscard]] bool isReplaying() const;
    [[nodiscard]] bool canReplay() const;

    [[nodiscard]] QCustomPlot* plot(LivePlotKind kind) const;
    /// All points kept, over every plot and arm: bounded.
    [[nodiscard]] std::size_t keptPoints() const;

  signals:
    void replayFinished();
    void shownSeriesChanged();  ///< by the user

  protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

  private:
    class Private;
    std::unique_ptr<Private> d_;
};

}  // namespace mmapscope
