#include "widgets/sweep_panel.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "study/sweep_points.h"
#include "widgets/sweep_chart.h"
#include "widgets/sweep_figures.h"
#include "widgets/text.h"

namespace mmapscope {

struct SweepPanel::Shown {
    SweepFigures figures;
    std::vector<Bytes> sizes;
    QString words;
};

SweepPanel::Shown SweepPanel::figureOut(const Study& sweep) {
    QStringList lines;
    for (const std::string& sentence : crossoverSentences(sweep)) {
        lines << QString::fromStdString(sentence);
    }
    return {sweepFigures(sweep), sizesOf(sweep), lines.join(u'\n')};
}

SweepPanel::SweepPanel(QWidget* parent)
    : QWidget(parent),
      throughput_(new SweepChart(tr("throughput"), this)),
      explained_(new SweepChart(tr("what explains it"), this)),
      what_(new QComboBox(this)),
      pause_(new QPushButton(tr("&Pause"), this)),
      resume_(new QPushButton(tr("&Go on"), this)),
      size_(new QComboBox(this)),
      compare_(new QPushButton(tr("Open in &Compare"), this)),
      words_(new QLabel(this)),
      theme_(Theme::forPalette(palette())) {
    for (std::size_t what = 0; what < kSweepCounts; ++what) {
        what_->addItem(sweepCountName(static_cast<SweepCount>(what)));
    }
    what_->setCurrentIndex(static_cast<int>(SweepCount::storageRead));
    what_->setAccessibleName(tr("What explains it"));
    words_->setWordWrap(true);
    words_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    words_->setAccessibleName(tr("Crossovers in words"));
    auto* line = new QHBoxLayout;
    line->addWidget(new QLabel(tr("Below:"), this));
    line->addWidget(what_);
    line->addStretch(1);
    pause_->setObjectName(QStringLiteral("sweepPause"));
    pause_->setToolTip(
        tr("Stops after what runs now; sizes that are measured stay, and it can go on later, also "
           "after the window was closed (open its study)"));
    resume_->setObjectName(QStringLiteral("sweepResume"));
    resume_->setToolTip(
        tr("Measures the sizes that are missing; refused when the file, the kernel or this program "
           "changed since"));
    size_->setObjectName(QStringLiteral("sweepSize"));
    size_->setAccessibleName(tr("Size whose runs to show"));
    compare_->setObjectName(QStringLiteral("sweepCompare"));
    compare_->setToolTip(tr("Shows the runs of that size in Compare"));
    for (QWidget* part : std::initializer_list<QWidget*>{pause_, resume_, size_, compare_}) {
        line->addWidget(part);
    }
    connect(pause_, &QPushButton::clicked, this, &SweepPanel::pauseAsked);
    connect(resume_, &QPushButton::clicked, this, &SweepPanel::resumeAsked);
    connect(compare_, &QPushButton::clicked, this,
            [this] { emit pointChosen(Bytes(size_->currentData().toULongLong())); });
    setState(false, false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addWidget(throughput_, 3);
    layout->addLayout(line);
    layout->addWidget(explained_, 2);
    layout->addWidget(words_);
    connect(what_, &QComboBox::currentIndexChanged, this, &SweepPanel::showFigures);
    connect(throughput_, &SweepChart::sizeChosen, this, &SweepPanel::pointChosen);
    connect(explained_, &SweepChart::sizeChosen, this, &SweepPanel::pointChosen);
    throughput_->setToolTip(
        tr("Bands reach from the slowest to the fastest round; a click shows a size's runs in "
           "Compare"));
    clear();
}

void SweepPanel::setStudy(std::shared_ptr<const Study> study) {
    if (study == nullptr || !study->sweep) {
        clear();
        return;
    }
    // A copy: a sweep that runs grows meanwhile.
    job_.start([sweep = *study](BackgroundJob::Link&) { return figureOut(sweep); },
               [this](Shown shown) {
                   shown_ = std::make_shared<const Shown>(std::move(shown));
                   showFigures();
               });
}

void SweepPanel::setState(bool running, bool resumable) {
    pause_->setVisible(running);
    resume_->setVisible(resumable);
}

void SweepPanel::clear() {
    job_.cancel();
    shown_.reset();
    showFigures();
}

void SweepPanel::showFigures() {
    const Shown none;
    const SweepFigures& figures = (shown_ ? *shown_ : none).figures;
    const auto what = static_cast<std::size_t>(what_->currentIndex());
    throughput_->setLines(figures.rates, figures.marks, figures.cap, sweepRateLabel(figures));
    explained_->setLines(figures.counts[what], {}, figures.cap,
                         sweepCountLabel(static_cast<SweepCount>(what)));
    const QVariant before = size_->currentData();
    size_->clear();
    for (const Bytes size : shown_ ? shown_->sizes : std::vector<Bytes>()) {
        size_->addItem(bytesText(size), QVariant::fromValue(size.count()));
    }
    size_->setCurrentIndex(std::max(0, size_->findData(before)));
    size_->setEnabled(size_->count() > 0);
    compare_->setEnabled(size_->count() > 0);
    words_->setText(shown_
                        ? shown_->words
                        : tr("A sweep compares arms over sizes and finds where one becomes slower than the "
                             "other: Run > Sweep…, or mmapscope-cli sweep; its study file opens here."));
}

QString SweepPanel::words() const {
    return words_->text();
}

void SweepPanel::restyle() {
    theme_ = Theme::forPalette(palette());
    throughput_->setTheme(theme_);
    explained_->setTheme(theme_);
}

void SweepPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        restyle();
    }
}

}  // namespace mmapscope
