// The check boxes that choose Live's series, group by group. Stays open while they are clicked.
#pragma once

#include <QMenu>
#include <vector>

#include "widgets/live_series.h"

namespace mmapscope {

class LiveSeriesMenu : public QMenu {
    Q_OBJECT

  public:
    explicit LiveSeriesMenu(QWidget* parent = nullptr);

    /// Ticks what is chosen; greys what `store` doesn't have, and says why. Emits nothing.
    void show(const SeriesSet& chosen, const LiveStore& store);
    [[nodiscard]] QAction* actionOf(LiveColumn column) const;

  signals:
    void seriesWanted(LiveColumn column, bool shown);
    void firstChoiceWanted();

  protected:
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    [[nodiscard]] bool toggles(QAction* action) const;

    QAction* firstChoice_;
    std::vector<QAction*> actions_;  ///< in the order of allSeries()
};

}  // namespace mmapscope
