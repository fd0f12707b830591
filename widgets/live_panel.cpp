#include "widgets/live_panel.h"

#include <QCheckBox>
#include <QEvent>
#include <QSignalBlocker>

#include "widgets/arm_legend.h"
#include "widgets/live_controls.h"
#include "widgets/live_panel_private.h"
#include "widgets/residency_section.h"

namespace mmapscope {

LivePanel::LivePanel(QWidget* parent) : QWidget(parent), d_(std::make_unique<Private>(this)) {
    d_->showPlots();
}

LivePanel::~LivePanel() = default;

void LivePanel::begin(const Study& planned) {
    stopReplay();
    d_->store_.begin(planned);
    d_->residency_->clear();
    d_->fit();
    d_->armsChanged();
}

void LivePanel::runStarted(std::uint32_t arm, Phase phase, unsigned round) {
    d_->store_.runStarted(arm, phase, round);
}

void LivePanel::addSamples(std::uint32_t arm, std::span<const Sample> samples) {
    d_->store_.addSamples(arm, samples);
    d_->dataChanged();
}

void LivePanel::runEnded(const Study& study) {
    if (!study.runs.empty()) {
        d_->store_.runEnded(study.runs.back());
        if (study.runs.back().residency) {
            d_->showResidency(study);
        }
        d_->armsChanged();
    }
}

void LivePanel::showStudy(const Study& study) {
    stopReplay();
    d_->store_.showStudy(study);
    d_->showResidency(study);
    d_->fit();
    d_->armsChanged();
}

void LivePanel::clear() {
    stopReplay();
    d_->store_.clear();
    d_->residency_->clear();
    d_->fit();
    d_->armsChanged();
}

void LivePanel::setMeasuring(bool measuring) {
    if (measuring) {
        stopReplay();
    }
    d_->measuring_ = measuring;
    d_->wordsChanged();
    d_->request(Private::Cause::data);
}

bool LivePanel::isMeasuring() const {
    return d_->measuring_;
}

void LivePanel::setArmVisible(std::uint32_t arm, bool visible) {
    d_->store_.setVisible(arm, visible);
    d_->legend_->show(d_->store_.arms(), d_->theme_);
    d_->residency_->setArmVisible(arm, visible);
    d_->seriesStale_ = true;
    d_->request(Private::Cause::interaction);
}

bool LivePanel::isArmVisible(std::uint32_t arm) const {
    return arm < d_->store_.arms().size() && d_->store_.arms()[arm].visible;
}

void LivePanel::setBytesAxis(bool bytes) {
    d_->options_.bytesAxis = bytes;
    d_->controls_->setBytesAxis(bytes);
    d_->fit();
}

void LivePanel::setFaultTotals(bool totals) {
    d_->options_.faultTotals = totals;
    const QSignalBlocker quiet(d_->totals_);
    d_->totals_->setChecked(totals);
    d_->showKeys();
    d_->dataChanged();
}

void LivePanel::setShownSeries(const QStringList& keys) {
    d_->options_.series = seriesOf(keys);
    d_->showPlots();
}

QStringList LivePanel::shownSeries() const {
    return keysOf(d_->options_.series);
}

void LivePanel::startReplay(double slowdown) {
    if (!canReplay()) {
        return;
    }
    d_->controls_->setSlowdown(slowdown);
    d_->clock_.start(d_->store_.longestSeconds(), slowdown);
    d_->replayActive_ = true;
    d_->options_.untilSeconds = 0;
    d_->seriesStale_ = true;
    d_->sinceTick_.start();
    d_->replayTimer_.start();
    d_->showReplayState();
    d_->request(Private::Cause::interaction);
}

void LivePanel::stopReplay() {
    if (!d_->replayActive_) {
        return;
    }
    d_->replayTimer_.stop();
    d_->clock_.pause();
    d_->replayActive_ = false;
    d_->options_.untilSeconds = std::numeric_limits<double>::infinity();
    d_->showReplayState();
    d_->dataChanged();
}

bool LivePanel::isReplaying() const {
    return d_->replayActive_;
}

bool LivePanel::canReplay() const {
    return !d_->measuring_ && d_->store_.hasFinished();
}

QCustomPlot* LivePanel::plot(LivePlotKind kind) const {
    return d_->plotOf(kind);
}

std::size_t LivePanel::keptPoints() const {
    return d_->store_.keptPoints();
}

void LivePanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        d_->restyle();
    }
}

void LivePanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    d_->request(Private::Cause::data);
}

}  // namespace mmapscope
