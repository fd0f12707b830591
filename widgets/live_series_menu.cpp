#include "widgets/live_series_menu.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QSignalBlocker>

namespace mmapscope {

LiveSeriesMenu::LiveSeriesMenu(QWidget* parent) : QMenu(parent) {
    setToolTipsVisible(true);
    setAccessibleName(tr("Series shown in Live"));
    const SeriesFacts* before = nullptr;
    for (const SeriesFacts& series : allSeries()) {
        if (before == nullptr || before->plot != series.plot) {
            addSection(titleOf(series.plot));
        }
        before = &series;
        QAction* action = addAction(QString());
        action->setCheckable(true);
        action->setObjectName(QString::fromLatin1(series.key));
        connect(action, &QAction::toggled, this,
                [this, column = series.column](bool shown) { emit seriesWanted(column, shown); });
        actions_.push_back(action);
    }
    addSeparator();
    firstChoice_ = addAction(tr("Default choice"));
    firstChoice_->setToolTip(wrapped(tr("Throughput, faults, memory, huge pages and the pool, as at first")));
    connect(firstChoice_, &QAction::triggered, this, &LiveSeriesMenu::firstChoiceWanted);
}

void LiveSeriesMenu::show(const SeriesSet& chosen, const LiveStore& store) {
    firstChoice_->setEnabled(chosen != seriesAtFirst());
    for (std::size_t i = 0; i < actions_.size(); ++i) {
        const LiveColumn column = allSeries()[i].column;
        QAction* action = actions_[i];
        const QSignalBlocker quiet(action);
        const bool shown = contains(chosen, column);
        const auto reason = whyAbsent(column, store);
        const bool only = shown && chosen.count() == 1;
        const QString name = tr("%1, %2", "series, unit").arg(seriesName(column), seriesUnit(column));
        action->setText(reason ? tr("%1: not available here").arg(name)
                        : only ? tr("%1: the last one shown").arg(name)
                               : name);
        action->setToolTip(wrapped(reason.value_or(seriesSource(column))));
        action->setChecked(shown);
        action->setEnabled(!reason && !only);
    }
}

QAction* LiveSeriesMenu::actionOf(LiveColumn column) const {
    for (std::size_t i = 0; i < actions_.size(); ++i) {
        if (allSeries()[i].column == column) {
            return actions_[i];
        }
    }
    return nullptr;
}

bool LiveSeriesMenu::toggles(QAction* action) const {
    return action != nullptr && action->isCheckable() && action->isEnabled();
}

void LiveSeriesMenu::mouseReleaseEvent(QMouseEvent* event) {
    if (QAction* action = actionAt(event->pos()); toggles(action)) {
        action->trigger();
        return;
    }
    QMenu::mouseReleaseEvent(event);
}

void LiveSeriesMenu::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Space && toggles(activeAction())) {
        activeAction()->trigger();
        return;
    }
    QMenu::keyPressEvent(event);
}

}  // namespace mmapscope
