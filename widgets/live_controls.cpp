#include "widgets/live_controls.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>

#include "widgets/glyphs.h"

namespace mmapscope {

LiveControls::LiveControls(QWidget* parent)
    : QWidget(parent),
      time_(new QRadioButton(tr("&time"), this)),
      bytes_(new QRadioButton(tr("&bytes done"), this)),
      series_(new QToolButton(this)),
      play_(new QToolButton(this)),
      speed_(new QComboBox(this)),
      position_(new QSlider(Qt::Horizontal, this)),
      whole_(new QToolButton(this)) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(2, 0, 2, 0);
    layout->addWidget(new QLabel(tr("x:"), this));
    time_->setChecked(true);
    time_->setToolTip(tr("Time since the run's clock started"));
    time_->setAccessibleName(tr("x axis: time"));
    bytes_->setToolTip(tr("Bytes of the file done: what happened at the same place of the file"));
    bytes_->setAccessibleName(tr("x axis: bytes done"));
    layout->addWidget(time_);
    layout->addWidget(bytes_);
    auto* fit = new QToolButton(this);
    fit->setText(tr("Fit"));
    fit->setAutoRaise(true);
    fit->setToolTip(
        tr("Show the whole runs (double-click on a plot). Wheel: zoom, Ctrl and wheel: zoom the values, "
           "drag: pan, arrow keys: crosshair"));
    fit->setFocusPolicy(Qt::TabFocus);
    layout->addWidget(fit);
    series_->setText(tr("Series"));
    series_->setAutoRaise(true);
    series_->setPopupMode(QToolButton::InstantPopup);
    series_->setFocusPolicy(Qt::TabFocus);
    series_->setShortcut(QKeySequence(tr("Ctrl+L")));
    series_->setToolTip(
        tr("Choose what is shown: throughput, faults, memory, huge pages, storage, scheduling, "
           "the whole machine (%1). Space ticks, Escape closes")
            .arg(series_->shortcut().toString(QKeySequence::NativeText)));
    series_->setAccessibleName(tr("Series"));
    layout->addWidget(series_);
    layout->addStretch(1);

    play_->setAutoRaise(true);
    play_->setText(tr("Slow motion"));
    play_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    play_->setFocusPolicy(Qt::TabFocus);
    layout->addWidget(play_);
    for (const auto& [text, slowdown] :
         {std::pair{tr("fit 10 s"), 0.0}, {tr("1/10"), 10.0}, {tr("1/100"), 100.0}, {tr("1/1000"), 1000.0}}) {
        speed_->addItem(text, slowdown);
    }
    speed_->setToolTip(tr("Speed of the replay"));
    speed_->setAccessibleName(tr("Speed of the replay"));
    layout->addWidget(speed_);
    position_->setRange(0, kSliderSteps);
    position_->setPageStep(kSliderSteps / 20);
    position_->setMinimumWidth(120);
    position_->setAccessibleName(tr("Position of the replay"));
    layout->addWidget(position_, 1);
    whole_->setAutoRaise(true);
    whole_->setFocusPolicy(Qt::TabFocus);
    whole_->setToolTip(tr("End the replay and show the whole runs"));
    whole_->setAccessibleName(tr("End the replay"));
    layout->addWidget(whole_);

    connect(bytes_, &QRadioButton::toggled, this, &LiveControls::bytesAxisWanted);
    connect(fit, &QToolButton::clicked, this, &LiveControls::fitWanted);
    connect(play_, &QToolButton::clicked, this, &LiveControls::playPauseWanted);
    connect(speed_, &QComboBox::currentIndexChanged, this, [this] { emit slowdownWanted(slowdown()); });
    connect(position_, &QSlider::valueChanged, this,
            [this](int value) { emit seekWanted(static_cast<double>(value) / kSliderSteps); });
    connect(whole_, &QToolButton::clicked, this, &LiveControls::wholeWanted);
}

void LiveControls::setTheme(const Theme& theme) {
    theme_ = theme;
    whole_->setIcon(glyphIcon(Glyph::whole, theme.text()));
    showPlayIcon();
}

void LiveControls::setBytesAxis(bool bytes) {
    const QSignalBlocker quiet(bytes_);
    (bytes ? bytes_ : time_)->setChecked(true);
}

void LiveControls::setSeriesMenu(QMenu* menu) {
    series_->setMenu(menu);
}

void LiveControls::setReplayPossible(bool possible, const QString& why) {
    const QString help = tr("Replay all arms from their start, in slow motion");
    for (QWidget* control : std::initializer_list<QWidget*>{play_, speed_, position_}) {
        control->setEnabled(possible);
        control->setAccessibleDescription(possible ? QString() : why);
    }
    play_->setToolTip(possible ? help : why);
}

void LiveControls::showReplay(bool playing, bool active, double fraction) {
    const QSignalBlocker quiet(position_);
    position_->setValue(static_cast<int>(fraction * kSliderSteps));
    whole_->setEnabled(active);
    if (playing != playing_) {
        playing_ = playing;
        showPlayIcon();
    }
}

void LiveControls::showPlayIcon() {
    play_->setIcon(glyphIcon(playing_ ? Glyph::pause : Glyph::play, theme_.text()));
    play_->setText(playing_ ? tr("Pause") : tr("Slow motion"));
}

double LiveControls::slowdown() const {
    return speed_->currentData().toDouble();
}

void LiveControls::setSlowdown(double slowdown) {
    const QSignalBlocker quiet(speed_);
    if (const int index = speed_->findData(slowdown); index >= 0) {
        speed_->setCurrentIndex(index);
    }
}

}  // namespace mmapscope
