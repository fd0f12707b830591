#include "widgets/sweep_panel.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <optional>

#include "study/arm_figures.h"
#include "study/statistics.h"
#include "study/sweep_points.h"
#include "widgets/sweep_chart.h"

namespace mmapscope {
namespace {

constexpr double kMib = 1U << 20U;

/// What the lower plot shows of a run.
enum Explanation { kMajor, kMinor, kStorage, kExplanations };

std::optional<double> explanationOf(const RunRecord& run, int what) {
    switch (what) {
        case kMajor:
            return static_cast<double>(run.majorFaults);
        case kMinor:
            return static_cast<double>(run.minorFaults);
        default:
            return run.storageRead ? std::optional(static_cast<double>(run.storageRead->count()) / kMib)
                                   : std::nullopt;
    }
}

template <class Get>
SweepLine lineOf(const Study& sweep, std::uint32_t arm, Get get) {
    SweepLine line{static_cast<int>(arm), QString::fromStdString(sweep.arms[arm].id), {}};
    for (const Bytes size : sizesOf(sweep)) {
        std::vector<double> values;
        for (const RunRecord& run : sweep.runs) {
            if (run.arm == arm && run.limit == size && isRanked(run)) {
                if (const std::optional<double> value = get(run)) {
                    values.push_back(*value);
                }
            }
        }
        if (!values.empty()) {
            const auto [low, high] = std::minmax_element(values.begin(), values.end());
            line.values.push_back({size, median(values), *low, *high});
        }
    }
    return line;
}

}  // namespace

struct SweepPanel::Shown {
    std::vector<SweepLine> rates;
    std::array<std::vector<SweepLine>, kExplanations> counts;
    std::vector<SweepMark> marks;
    std::optional<Bytes> cap;
    QString words;
};

SweepPanel::Shown SweepPanel::figureOut(const Study& sweep) {
    Shown shown;
    for (std::uint32_t arm = 0; arm < sweep.arms.size(); ++arm) {
        shown.rates.push_back(lineOf(sweep, arm, [](const RunRecord& run) {
            return std::optional(static_cast<double>(run.bytesOut.value_or(run.bytesIn).count()) * 1e9 /
                                 kMib / static_cast<double>(run.wall.count()));
        }));
        for (int what = 0; what < kExplanations; ++what) {
            shown.counts[static_cast<std::size_t>(what)].push_back(
                lineOf(sweep, arm, [what](const RunRecord& run) { return explanationOf(run, what); }));
        }
    }
    for (const Crossover& crossover : findCrossovers(sweep)) {
        shown.marks.push_back({static_cast<int>(crossover.arm), crossover.low, crossover.high});
    }
    shown.cap = sweep.plan.memoryCap;
    QStringList lines;
    for (const std::string& sentence : crossoverSentences(sweep)) {
        lines << QString::fromStdString(sentence);
    }
    shown.words = lines.join(u'\n');
    return shown;
}

SweepPanel::SweepPanel(QWidget* parent)
    : QWidget(parent),
      throughput_(new SweepChart(tr("throughput"), this)),
      explained_(new SweepChart(tr("what explains it"), this)),
      what_(new QComboBox(this)),
      words_(new QLabel(this)),
      theme_(Theme::forPalette(palette())) {
    what_->addItems({tr("major faults"), tr("minor faults"), tr("read from storage")});
    what_->setCurrentIndex(kStorage);
    what_->setAccessibleName(tr("What explains it"));
    words_->setWordWrap(true);
    words_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    words_->setAccessibleName(tr("Crossovers in words"));
    auto* line = new QHBoxLayout;
    line->addWidget(new QLabel(tr("Below:"), this));
    line->addWidget(what_);
    line->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addWidget(throughput_, 3);
    layout->addLayout(line);
    layout->addWidget(explained_, 2);
    layout->addWidget(words_);
    connect(what_, &QComboBox::currentIndexChanged, this, &SweepPanel::show);
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
                   show();
               });
}

void SweepPanel::clear() {
    job_.cancel();
    shown_.reset();
    show();
}

void SweepPanel::show() {
    const Shown none;
    const Shown& shown = shown_ ? *shown_ : none;
    const int what = what_->currentIndex();
    throughput_->setLines(shown.rates, shown.marks, shown.cap, tr("throughput, MiB/s"));
    explained_->setLines(
        shown.counts[static_cast<std::size_t>(what)], {}, shown.cap,
        tr("%1, %2").arg(what_->currentText(), what == kStorage ? tr("MiB a run") : tr("a run")));
    words_->setText(shown_
                        ? shown.words
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
