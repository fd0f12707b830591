#include "widgets/learn_panel.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollBar>
#include <QSplitter>
#include <QTextBrowser>
#include <QTextTable>
#include <QVBoxLayout>

#include "lesson/lesson_library.h"
#include "lesson/lesson_plot.h"
#include "lesson/lesson_report.h"
#include "lesson/recorded.h"
#include "widgets/lesson_chart.h"
#include "widgets/prediction_box.h"

namespace mmapscope {
namespace {

constexpr int kListWidth = 230;
constexpr int kPresenterPoints = 24;
constexpr int kLeastPoints = 6;
constexpr int kMostPoints = 48;
constexpr int kProgressSteps = 1000;
constexpr int kCellPadding = 3;
constexpr std::size_t kVariations = 4;  // buttons; a lesson has two by custom

QString text(const std::string& words) {
    return QString::fromStdString(words);
}

}  // namespace

LearnPanel::LearnPanel(QWidget* parent)
    : QWidget(parent),
      list_(new QListWidget),
      page_(new QTextBrowser),
      prediction_(new PredictionBox),
      run_(new QPushButton(tr("&Measure"))),
      stop_(new QPushButton(tr("S&top"))),
      present_(new QPushButton(tr("&Present"))),
      save_(new QPushButton(tr("Sa&ve page…"))),
      compare_(new QPushButton(tr("Open in Co&mpare"))),
      hint_(new QLabel),
      progress_(new QProgressBar),
      chart_(new LessonChart),
      wordsLabel_(new QLabel(tr("In your own &words:"))),
      words_(new QPlainTextEdit),
      theme_(Theme::forPalette(palette())) {
    list_->setObjectName(QStringLiteral("lessonList"));
    list_->setAccessibleName(tr("Lessons"));
    list_->setWordWrap(true);
    list_->setSpacing(2);
    for (const Lesson& each : builtInLessons()) {
        list_->addItem(tr("%1. %2\n%3 min").arg(list_->count() + 1).arg(text(each.title)).arg(each.minutes));
    }
    auto* page = new QWidget;
    buildPage(page);
    auto* splitter = new QSplitter;
    splitter->addWidget(list_);
    splitter->addWidget(page);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({kListWidth, kListWidth * 3});
    splitter->setChildrenCollapsible(false);
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(6, 6, 6, 6);
    box->addWidget(splitter);
    connect(list_, &QListWidget::currentRowChanged, this, &LearnPanel::choose);
    connect(prediction_, &PredictionBox::changed, this, &LearnPanel::updateButtons);
    list_->setCurrentRow(0);
    restyle();
}

void LearnPanel::buildPage(QWidget* page) {
    page_->setObjectName(QStringLiteral("lessonPage"));
    page_->setAccessibleName(tr("The lesson's text"));
    page_->setOpenExternalLinks(true);
    page_->setFrameShape(QFrame::NoFrame);
    words_->setObjectName(QStringLiteral("lessonWords"));
    words_->setAccessibleName(tr("What you learned, in your own words"));
    words_->setPlaceholderText(tr("Why did it come out so? This goes into the page you save."));
    words_->setTabChangesFocus(true);
    wordsLabel_->setBuddy(words_);
    hint_->setWordWrap(true);
    buildButtons();
    auto* box = new QVBoxLayout(page);
    box->setContentsMargins(0, 0, 0, 0);
    box->addWidget(page_, 1);
    box->addWidget(prediction_);
    auto* go = new QHBoxLayout;
    go->addWidget(run_);
    go->addWidget(stop_);
    go->addWidget(progress_, 1);
    go->addWidget(hint_, 1);
    box->addLayout(go);
    box->addWidget(chart_);
    box->addWidget(wordsLabel_);
    box->addWidget(words_);
    auto* more = new QHBoxLayout;
    for (std::size_t i = 0; i < kVariations; ++i) {
        auto* button = new QPushButton;
        button->setObjectName(QStringLiteral("lessonVariation%1").arg(i + 1));
        connect(button, &QPushButton::clicked, this, [this, i] { runVariation(static_cast<int>(i)); });
        variations_.push_back(button);
        more->addWidget(button);
    }
    more->addStretch(1);
    box->addLayout(more);
    auto* last = new QHBoxLayout;
    last->addWidget(save_);
    last->addWidget(compare_);
    last->addStretch(1);
    last->addWidget(present_);
    box->addLayout(last);
}

void LearnPanel::buildButtons() {
    run_->setObjectName(QStringLiteral("lessonRun"));
    run_->setToolTip(tr("Measure on a sample that is made for it and removed"));
    stop_->setObjectName(QStringLiteral("lessonStop"));
    present_->setObjectName(QStringLiteral("lessonPresent"));
    present_->setToolTip(tr("Large type and nothing but the lesson (F11); again, or Esc, to leave"));
    save_->setObjectName(QStringLiteral("lessonSave"));
    save_->setToolTip(tr("Prediction, figures, explanation and your own words, as Markdown or PDF"));
    compare_->setObjectName(QStringLiteral("lessonCompare"));
    compare_->setToolTip(tr("The study behind these figures, with all its columns; it is saved in History"));
    progress_->setObjectName(QStringLiteral("lessonProgress"));
    progress_->setAccessibleName(tr("Progress of the measurement"));
    progress_->setRange(0, kProgressSteps);
    connect(run_, &QPushButton::clicked, this, &LearnPanel::runLessonNow);
    connect(stop_, &QPushButton::clicked, this, &LearnPanel::stopAsked);
    connect(present_, &QPushButton::clicked, this, [this] { emit presentAsked(!presenting_); });
    connect(save_, &QPushButton::clicked, this, &LearnPanel::saveAsked);
    connect(compare_, &QPushButton::clicked, this, [this] {
        if (study_ != nullptr) {
            emit studyAsked(study_);
        }
    });
}

const Lesson& LearnPanel::lesson() const {
    return builtInLessons()[static_cast<std::size_t>(current_)];
}

void LearnPanel::choose(int lesson) {
    if (lesson < 0 || lesson >= list_->count() || mine_) {
        return;
    }
    current_ = lesson;
    if (list_->currentRow() != lesson) {
        list_->setCurrentRow(lesson);
    }
    showLesson();
}

void LearnPanel::showLesson() {
    results_.reset();
    study_.reset();
    predicted_.reset();
    variation_ = -1;
    words_->clear();
    chart_->setPlot({});
    prediction_->setPrediction(lesson().prediction);
    showPage(tr("# %1\n\n%2").arg(text(lesson().title), text(lesson().before)), true);
    for (std::size_t i = 0; i < variations_.size(); ++i) {
        if (i < lesson().variations.size()) {
            variations_[i]->setText(tr("Try: %1").arg(text(lesson().variations[i].title)));
        }
    }
    updateButtons();
}

void LearnPanel::showPage(const QString& markdown, bool fromTop) {
    const int before = page_->verticalScrollBar()->value();
    markdown_ = markdown;
    page_->document()->setMarkdown(markdown,
                                   QTextDocument::MarkdownFeatures(QTextDocument::MarkdownDialectGitHub) |
                                       QTextDocument::MarkdownNoHTML);
    for (QTextFrame* frame : page_->document()->rootFrame()->childFrames()) {
        if (auto* table = qobject_cast<QTextTable*>(frame)) {
            QTextTableFormat format = table->format();
            format.setBorderCollapse(true);
            format.setBorder(1);
            format.setBorderBrush(theme_.gridLine());
            format.setCellPadding(kCellPadding);
            format.setCellSpacing(0);
            table->setFormat(format);
        }
    }
    page_->verticalScrollBar()->setValue(fromTop ? 0 : before);
}

void LearnPanel::updateButtons() {
    const bool done = results_.has_value();
    run_->setVisible(!done && !mine_);
    run_->setEnabled(!running_ && prediction_->predicted().has_value());
    prediction_->setVisible(!done);
    stop_->setVisible(mine_);
    progress_->setVisible(mine_);
    hint_->setVisible(!mine_ && (!done || running_));
    hint_->setText(running_                   ? tr("Something else is being measured; it would disturb.")
                   : prediction_->predicted() ? QString()
                                              : tr("Predict first; then it can be measured."));
    chart_->setVisible(chart_->hasBars() && !mine_);
    for (QWidget* part : std::initializer_list<QWidget*>{wordsLabel_, words_}) {
        part->setVisible(done && !mine_ && !presenting_);
    }
    words_->setMaximumHeight(words_->fontMetrics().height() * 4);
    save_->setVisible(done && !presenting_);
    compare_->setVisible(study_ != nullptr && !presenting_);
    compare_->setEnabled(!running_);
    for (std::size_t i = 0; i < variations_.size(); ++i) {
        variations_[i]->setVisible(done && i < lesson().variations.size());
        variations_[i]->setEnabled(!running_);
    }
    list_->setEnabled(!mine_);
    list_->setVisible(!presenting_);
}

void LearnPanel::runLessonNow() {
    predicted_ = prediction_->predicted();
    variation_ = -1;
    emit runAsked(lesson().runs);
}

void LearnPanel::runVariation(int variation) {
    if (static_cast<std::size_t>(variation) < lesson().variations.size()) {
        variation_ = variation;
        emit runAsked({lesson().variations[static_cast<std::size_t>(variation)].run});
    }
}

void LearnPanel::setRunning(bool running, bool mine) {
    running_ = running;
    mine_ = running && mine;
    prediction_->setFixed(mine_);
    progress_->setValue(0);
    updateButtons();
}

void LearnPanel::setProgress(const QString& doing, double fraction) {
    progress_->setValue(static_cast<int>(fraction * kProgressSteps));
    progress_->setFormat(doing);
    progress_->setAccessibleDescription(doing);
}

void LearnPanel::showResults(const LessonResults& results) {
    if (!results.complete) {
        showFailure(tr("Stopped: there are no figures to explain."));
        return;
    }
    study_.reset();
    for (const LessonMeasured& measured : results.measured) {
        if (study_ == nullptr && measured.study) {
            study_ = std::make_shared<const Study>(*measured.study);
        }
    }
    if (variation_ < 0) {
        results_ = withRecorded(lesson(), results);
        chart_->setPlot(lessonPlot(lesson(), predicted_, *results_));
        showPage(tr("# %1\n\n%2\n\n%3\n\n## What was measured\n\n%4\n\n## Explanation\n\n%5")
                     .arg(text(lesson().title), text(lesson().prediction.question),
                          text(lessonJudged(lesson(), predicted_, *results_)), text(lessonTables(*results_)),
                          text(lessonAfter(lesson(), *results_))),
                 true);
        page_->setFocus();
    } else {
        const auto& variation = lesson().variations[static_cast<std::size_t>(variation_)];
        chart_->setPlot(variationPlot(lesson(), results));
        showPage(text(variationAfter(variation, results)), true);
    }
    updateButtons();
}

void LearnPanel::showFailure(const QString& error) {
    updateButtons();
    hint_->setText(error);
    hint_->setVisible(true);
}

QString LearnPanel::notebook() const {
    return results_
               ? text(lessonNotebook(lesson(), predicted_, *results_, words_->toPlainText().toStdString()))
               : QString();
}

QImage LearnPanel::plotImage() const {
    LessonChart drawn;
    if (!results_) {
        return {};
    }
    drawn.setTheme(Theme::forPalette(applicationPalette(false)));  // paper is white
    drawn.setPlot(lessonPlot(lesson(), predicted_, *results_));
    return drawn.toPixmap(640, drawn.sizeHint().height(), 2).toImage();
}

void LearnPanel::setPresenting(bool presenting) {
    if (presenting == presenting_) {
        return;
    }
    if (presenting) {
        plainFont_ = font();
        QFont large = font();
        large.setPointSize(kPresenterPoints);
        setFont(large);
    } else {
        setFont(plainFont_);
    }
    presenting_ = presenting;
    present_->setText(presenting ? tr("&Leave presenting") : tr("&Present"));
    updateButtons();
    page_->setFocus();
}

void LearnPanel::zoom(int points) {
    QFont larger = font();
    larger.setPointSize(std::clamp(larger.pointSize() + points, kLeastPoints, kMostPoints));
    setFont(larger);
}

void LearnPanel::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && presenting_) {
        emit presentAsked(false);
    } else if (event->matches(QKeySequence::ZoomIn)) {
        zoom(1);
    } else if (event->matches(QKeySequence::ZoomOut)) {
        zoom(-1);
    } else {
        QWidget::keyPressEvent(event);
    }
}

void LearnPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    chart_->setMaximumHeight(height() * 2 / 5);  // the text comes first
}

void LearnPanel::restyle() {
    theme_ = Theme::forPalette(palette());
    chart_->setTheme(theme_);
    showPage(markdown_, false);  // what it coloured is of the palette before
}

void LearnPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        restyle();
    }
}

}  // namespace mmapscope
