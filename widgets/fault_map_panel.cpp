#include "widgets/fault_map_panel.h"

#include <QCheckBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/arm_chooser.h"
#include "widgets/background_job.h"
#include "widgets/fault_plot.h"
#include "widgets/fault_words.h"
#include "widgets/text.h"

namespace mmapscope {

namespace {

struct Counted {
    FaultPattern pattern;
    FaultTotals totals;
    std::uint32_t threads = 0;
};

Counted counted(const FaultTrace& trace, Bytes bytes) {
    const auto last = std::max_element(trace.thread.begin(), trace.thread.end());
    return {faultPattern(trace, bytes), totalsOf(trace), last == trace.thread.end() ? 0 : *last + 1};
}

}  // namespace

class FaultMapPanel::Private {
  public:
    explicit Private(FaultMapPanel* panel);

    void showArm(std::optional<std::uint32_t> arm);
    void showFigures();
    void showWords();
    void showReadout();
    void showKey();
    void showChooser();
    void restyle();

    FaultMapPanel* q_;
    Theme theme_;
    ArmChooser* chooser_;
    QLabel* key_;
    FaultPlot* plot_;
    FaultHistogram* strides_;
    FaultHistogram* mapped_;
    QLabel *stridesTitle_, *mappedTitle_;
    QLabel *sentence_, *warnings_, *notes_, *readout_;
    QWidget* side_;
    QCheckBox* threads_;
    QPushButton* fit_;
    std::vector<TracedRun> runs_;
    bool asked_ = false;                ///< the arm on show was chosen by the user
    std::optional<std::size_t> shown_;  ///< index into runs_
    std::optional<Counted> counted_;    ///< of the run on show
    BackgroundJob job_;
};

FaultMapPanel::Private::Private(FaultMapPanel* panel)
    : q_(panel),
      chooser_(new ArmChooser(panel)),
      key_(new QLabel(panel)),
      plot_(new FaultPlot),
      strides_(new FaultHistogram),
      mapped_(new FaultHistogram),
      stridesTitle_(new QLabel(tr("Distance to the next fault"))),
      mappedTitle_(new QLabel(tr("Pages mapped per fault"))),
      sentence_(new QLabel(panel)),
      warnings_(new QLabel(panel)),
      notes_(new QLabel(panel)),
      readout_(new QLabel(panel)),
      side_(new QWidget),
      threads_(new QCheckBox(tr("hue by &thread"), panel)),
      fit_(new QPushButton(tr("&Fit"), panel)) {
    threads_->setToolTip(tr("One hue a thread instead of one for minor and one for major faults; the shapes "
                            "stay. Hues repeat after %1 threads.")
                             .arg(Theme::kArmColors));
    fit_->setToolTip(
        tr("Show the whole run (0, or double-click).\nWheel: zoom, with Shift the time alone, with "
           "Ctrl the offsets alone. Drag or arrow keys: move.\n+ and −: zoom. Ctrl+← and "
           "Ctrl+→: from fault to fault."));
    key_->setTextFormat(Qt::RichText);
    key_->setWordWrap(true);
    key_->setAccessibleName(tr("Key of the fault map"));
    plot_->setAccessibleName(tr("Fault map"));
    plot_->setEmptyText(tr(
        "No run was traced yet.\n\nThe fault map shows every page fault of an arm as a dot:\nwhen it came, "
        "at "
        "which file offset, minor or major.\n\nTick “Trace faults” in the toolbar and press Run (F5).\nOnly "
        "each arm's inspection run is traced, so that\nwhat is ranked isn't disturbed."));
    strides_->setAccessibleName(tr("Distances from one fault to the next one of the same thread"));
    mapped_->setAccessibleName(tr("Pages mapped per fault"));
    stridesTitle_->setToolTip(
        tr("From a fault in the file to the same thread's next one in the file, in "
           "powers of two"));
    mappedTitle_->setToolTip(
        tr("Pages up to the next place in the file where any thread faults: what each "
           "fault brought in, where every page is touched going forward"));
    for (QLabel* title : {stridesTitle_, mappedTitle_}) {
        QFont bold = title->font();
        bold.setBold(true);
        title->setFont(bold);
    }

    auto* side = new QVBoxLayout(side_);
    side->setContentsMargins(6, 0, 0, 0);
    side->setSpacing(2);
    side->addWidget(stridesTitle_);
    side->addWidget(strides_, 1);
    side->addWidget(mappedTitle_);
    side->addWidget(mapped_, 1);
    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->addWidget(plot_);
    splitter->addWidget(side_);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({720, 240});
    splitter->setCollapsible(0, false);

    for (const auto& [label, name] : {std::pair{sentence_, tr("What the faults look like")},
                                      {warnings_, tr("What the trace lacks")},
                                      {notes_, tr("About the trace")},
                                      {readout_, tr("Fault under the crosshair")}}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setAccessibleName(name);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    }
    readout_->setFont(tabularFont(readout_->font()));
    readout_->setWordWrap(false);
    readout_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);  // the plot must not jump
    auto* layout = new QVBoxLayout(q_);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->setSpacing(4);
    auto* top = new QHBoxLayout;
    top->addWidget(chooser_, 1);
    top->addWidget(threads_);
    top->addWidget(fit_);
    layout->addLayout(top);
    layout->addWidget(key_);
    layout->addWidget(splitter, 1);
    layout->addWidget(readout_);
    layout->addWidget(sentence_);
    layout->addWidget(warnings_);
    layout->addWidget(notes_);

    connect(chooser_, &ArmChooser::armChosen, q_, &FaultMapPanel::chooseArm);
    connect(plot_, &FaultPlot::faultShown, q_, [this] { showReadout(); });
    connect(plot_, &FaultPlot::afterReplot, q_, [this] { showReadout(); });
    connect(threads_, &QCheckBox::toggled, q_, [this](bool threads) {
        plot_->setHue(threads ? FaultHue::thread : FaultHue::kind);
        showKey();
    });
    connect(fit_, &QPushButton::clicked, plot_, &FaultPlot::fit);
}

void FaultMapPanel::Private::showArm(std::optional<std::uint32_t> arm) {
    const std::optional<TracedRun> before = plot_->run();
    const auto run = std::find_if(runs_.begin(), runs_.end(),
                                  [&](const TracedRun& one) { return arm && one.run().arm == *arm; });
    shown_ = run == runs_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(run - runs_.begin()));
    const bool same = before && shown_ && before->isSameRun(runs_[*shown_]);
    plot_->setRun(shown_ ? std::optional(runs_[*shown_]) : std::nullopt);
    if (!same) {
        job_.cancel();
        counted_.reset();
        if (shown_) {
            // A copy, once a run: the study may grow meanwhile.
            job_.start(
                [trace = std::make_shared<const FaultTrace>(runs_[*shown_].trace()),
                 bytes = runs_[*shown_].readBytes()](BackgroundJob::Link&) { return counted(*trace, bytes); },
                [this](Counted figures) {
                    counted_ = std::move(figures);
                    showFigures();
                    emit q_->figuresShown();
                });
        }
        showFigures();
    }
    for (QWidget* widget :
         {static_cast<QWidget*>(threads_), static_cast<QWidget*>(fit_), side_,
          static_cast<QWidget*>(chooser_), static_cast<QWidget*>(readout_), static_cast<QWidget*>(key_)}) {
        widget->setVisible(shown_.has_value());
    }
    showChooser();
    showWords();
}

void FaultMapPanel::Private::showChooser() {
    std::vector<ChoosableArm> arms;
    for (const TracedRun& run : runs_) {
        arms.push_back({run.run().arm, QString::fromStdString(run.arm().id),
                        countText(static_cast<double>(run.trace().tNs.size()))});
    }
    chooser_->show(arms, shown_ ? runs_[*shown_].run().arm : 0, theme_);
}

void FaultMapPanel::Private::showFigures() {
    const FaultPattern pattern = counted_ ? counted_->pattern : FaultPattern();
    const QString empty = shown_ && !counted_ ? tr("Counting") : tr("None");
    strides_->setBins(counted_ ? strideBins(pattern, runs_[*shown_].page()) : std::vector<HistogramBin>(),
                      tr("from this up to twice it"), empty);
    mapped_->setBins(counted_ ? mappedBins(pattern) : std::vector<HistogramBin>(),
                     tr("from this up to twice it"), empty);
    showKey();
    showWords();
}

void FaultMapPanel::Private::showKey() {
    key_->setText(
        counted_ ? keyText(counted_->totals, plot_->hue() == FaultHue::thread ? counted_->threads : 0, theme_)
                 : QString());
}

void FaultMapPanel::Private::showWords() {
    const auto fill = [](QLabel* label, const QStringList& lines) {
        label->setText(lines.join(u'\n'));
        label->setVisible(!lines.isEmpty());
    };
    if (!shown_) {
        fill(sentence_, {});
        fill(warnings_, {});
        fill(notes_, {});
        plot_->setAccessibleDescription(tr("No run was traced yet"));
        return;
    }
    const TracedRun& run = runs_[*shown_];
    const QString words = counted_ ? QString::fromStdString(faultSentence(run.arm().id, counted_->pattern))
                                   : tr("%1: counting %2 faults")
                                         .arg(QString::fromStdString(run.arm().id),
                                              countText(static_cast<double>(run.trace().tNs.size())));
    fill(sentence_, {words});
    fill(warnings_, faultWarnings(run));
    fill(notes_, {faultNotes(run).join(u' ')});
    plot_->setAccessibleDescription(words);
}

void FaultMapPanel::Private::showReadout() {
    if (!shown_) {
        return;
    }
    const auto fault = plot_->crosshair();
    readout_->setText(fault ? faultText(runs_[*shown_], *fault) : viewText(plot_->raster().totals()));
}

void FaultMapPanel::Private::restyle() {
    theme_ = Theme::forPalette(q_->palette());
    plot_->setTheme(theme_);
    strides_->setTheme(theme_);
    mapped_->setTheme(theme_);
    const auto colour = [](QLabel* label, const QColor& color) {
        QPalette palette = label->palette();
        palette.setColor(QPalette::WindowText, color);
        label->setPalette(palette);
    };
    colour(warnings_, theme_.warning());
    colour(notes_, theme_.mutedText());
    showChooser();
    showKey();
}

FaultMapPanel::FaultMapPanel(QWidget* parent) : QWidget(parent), d_(std::make_unique<Private>(this)) {
    d_->restyle();
    clear();
}

FaultMapPanel::~FaultMapPanel() = default;

void FaultMapPanel::setStudy(std::shared_ptr<const Study> study) {
    const std::optional<std::uint32_t> before = arm();
    d_->runs_ = tracedRuns(study);
    const auto has = [this](std::uint32_t wanted) {
        return std::any_of(d_->runs_.begin(), d_->runs_.end(),
                           [wanted](const TracedRun& run) { return run.run().arm == wanted; });
    };
    d_->asked_ = d_->asked_ && before && has(*before);
    if (d_->asked_) {
        d_->showArm(before);
    } else if (d_->runs_.empty()) {
        d_->showArm(std::nullopt);
    } else {
        // The arm with the most to see: not one that never faulted on the file.
        const auto most =
            std::max_element(d_->runs_.begin(), d_->runs_.end(), [](const TracedRun& a, const TracedRun& b) {
                return totalsOf(a.trace()).inFile() < totalsOf(b.trace()).inFile();
            });
        d_->showArm(most->run().arm);
    }
}

void FaultMapPanel::chooseArm(std::uint32_t arm) {
    if (std::any_of(d_->runs_.begin(), d_->runs_.end(),
                    [arm](const TracedRun& run) { return run.run().arm == arm; })) {
        d_->asked_ = true;
        d_->showArm(arm);
    }
}

std::optional<std::uint32_t> FaultMapPanel::arm() const {
    return d_->plot_->run() ? std::optional(d_->plot_->run()->run().arm) : std::nullopt;
}

FaultPlot* FaultMapPanel::plot() const {
    return d_->plot_;
}

FaultHistogram* FaultMapPanel::strides() const {
    return d_->strides_;
}

FaultHistogram* FaultMapPanel::mapped() const {
    return d_->mapped_;
}

QString FaultMapPanel::sentence() const {
    return d_->sentence_->text();
}

QString FaultMapPanel::warnings() const {
    return d_->warnings_->text();
}

QString FaultMapPanel::notes() const {
    return d_->notes_->text();
}

QString FaultMapPanel::readout() const {
    return d_->readout_->text();
}

void FaultMapPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        d_->restyle();
    }
}

}  // namespace mmapscope
