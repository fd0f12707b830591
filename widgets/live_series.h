// The series Live can show: their groups, names, units, and why one isn't there.
#pragma once

#include <QString>
#include <QStringList>
#include <bitset>
#include <optional>
#include <span>

#include "widgets/live_panel.h"
#include "widgets/live_store.h"

namespace mmapscope {

/// By LiveColumn. Of faults the rates stand for the running totals too.
using SeriesSet = std::bitset<kLiveColumns>;

struct SeriesFacts {
    LiveColumn column;
    LivePlotKind plot;
    const char* key;  ///< in settings; never changes
    bool shownAtFirst;
};

/// Every series that can be chosen, group by group, in the order of LivePlotKind.
[[nodiscard]] std::span<const SeriesFacts> allSeries();
[[nodiscard]] SeriesSet seriesAtFirst();
[[nodiscard]] inline bool contains(const SeriesSet& set, LiveColumn column) {
    return set.test(static_cast<std::size_t>(column));
}
[[nodiscard]] bool shows(const SeriesSet& set, LivePlotKind plot);

[[nodiscard]] QStringList keysOf(const SeriesSet& set);
/// Unknown keys (another version's) are left out; with none known, seriesAtFirst().
[[nodiscard]] SeriesSet seriesOf(const QStringList& keys);

[[nodiscard]] QString titleOf(LivePlotKind plot);
/// What the group's figures mean and where they come from, for a tool tip.
[[nodiscard]] QString helpOf(LivePlotKind plot);
[[nodiscard]] QString seriesName(LiveColumn column);
[[nodiscard]] QString seriesUnit(LiveColumn column);
/// Where the figure comes from.
[[nodiscard]] QString seriesSource(LiveColumn column);

/// As a tool tip that breaks into lines.
[[nodiscard]] QString wrapped(const QString& text);

/// Why no arm on show has that series; nullopt while one has, or while no run has ended that could tell.
[[nodiscard]] std::optional<QString> whyAbsent(LiveColumn column, const LiveStore& store);

}  // namespace mmapscope
