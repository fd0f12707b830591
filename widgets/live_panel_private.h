// LivePanel's inside: the plots' wiring, the refresh policy, the replay.
#pragma once

#include <QElapsedTimer>
#include <QLabel>
#include <QTimer>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "widgets/live_panel.h"
#include "widgets/live_plot.h"
#include "widgets/live_store.h"
#include "widgets/live_view.h"
#include "widgets/replay_clock.h"
#include "widgets/theme.h"

class QCheckBox;

namespace mmapscope {

class ArmLegend;
class LiveControls;
class LiveSeriesMenu;
class PlotHeader;
class ResidencySection;

class LivePanel::Private {
  public:
    static constexpr std::array kPlots{
        LivePlotKind::throughput, LivePlotKind::faults,     LivePlotKind::memory,  LivePlotKind::hugePages,
        LivePlotKind::storage,    LivePlotKind::scheduling, LivePlotKind::machine, LivePlotKind::pressure};
    static constexpr int kMeasuringInterval = 250;  ///< ms: four refreshes a second
    static constexpr int kFrameInterval = 16;       ///< ms
    static constexpr int kSettle = 160;             ///< ms of rest before lines are smoothed again

    explicit Private(LivePanel* panel);

    enum class Cause { data, interaction };
    /// A refresh soon: never more often than the cause allows.
    void request(Cause cause);
    void dataChanged();
    void armsChanged();
    void wordsChanged();
    void showResidency(const Study& study);
    void restyle();
    void showKeys();
    /// After the choice of series changed: the plots that have one, with what belongs to the lowest of them.
    void showPlots();
    void choose(const SeriesSet& wanted);

    void setRange(const QCPRange& range);
    void fit();
    void showCrosshair(LivePlotKind plot, std::optional<double> x);
    void showReadout();

    void seek(double seconds);
    void playPause();
    void showReplayState();
    void tick();

    [[nodiscard]] LivePlot* plotOf(LivePlotKind kind) const { return plots_[static_cast<std::size_t>(kind)]; }

    LivePanel* q_;
    Theme theme_;
    LiveStore store_;
    LiveOptions options_;
    ReplayClock clock_;
    bool measuring_ = false;
    bool replayActive_ = false;
    LiveControls* controls_;

    void refresh();

  private:
    void buildPlots();
    QWidget* makePlots();  ///< with their headers, scrolled where there are many
    void makeTickers();
    [[nodiscard]] bool isShown(LivePlotKind kind) const { return shows(options_.series, kind); }
    [[nodiscard]] LivePlotKind lowest() const;
    [[nodiscard]] std::vector<LivePlot*> shownPlots() const;
    void rebuildSeries();
    void applyRange();
    void layOut();
    [[nodiscard]] QCPRange wholeRange() const;

    ArmLegend* legend_;
    std::array<PlotHeader*, kPlots.size()> headers_{};
    std::array<LivePlot*, kPlots.size()> plots_{};
    QLabel* readout_;
    QCheckBox* totals_ = nullptr;
    LiveSeriesMenu* menu_;
    ResidencySection* residency_;
    std::unique_ptr<QCPMarginGroup> margins_;
    std::optional<QCPRange> userRange_;
    std::optional<double> crosshair_;
    LivePlotKind hovered_ = LivePlotKind::throughput;
    bool seriesStale_ = true;
    bool hidden_ = true;  ///< a refresh was left out because nobody could see it
    bool moving_ = false;
    QTimer refreshTimer_, settleTimer_, replayTimer_;
    QElapsedTimer sinceRefresh_, sinceTick_;

    friend class LivePanel;
};

}  // namespace mmapscope
