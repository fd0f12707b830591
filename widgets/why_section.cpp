#include "widgets/why_section.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "widgets/why_chart.h"

namespace mmapscope {

WhySection::WhySection(QWidget* parent)
    : QWidget(parent),
      chart_(new WhyChart(this)),
      detail_(new QLabel(this)),
      sentences_(new QLabel(this)),
      theme_(Theme::forPalette(palette())) {
    auto* heading = new QLabel(tr("Why: where each arm's wall time went"), this);
    QFont bold = heading->font();
    bold.setBold(true);
    heading->setFont(bold);
    for (QLabel* label : {detail_, sentences_}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);  // it may come from anyone's file
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    }
    detail_->setObjectName(QStringLiteral("whyDetail"));
    detail_->setMinimumHeight(2 * detail_->fontMetrics().lineSpacing());
    detail_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    sentences_->setObjectName(QStringLiteral("whySentences"));
    sentences_->setAccessibleName(tr("Where the time went, in words"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(heading);
    layout->addWidget(chart_);
    layout->addWidget(detail_);
    layout->addWidget(sentences_);
    connect(chart_, &WhyChart::chosen, this, &WhySection::showDetail);
    refresh();
}

void WhySection::setStudy(const Study& study) {
    shown_ = Study();
    shown_.arms = study.arms;
    shown_.attribution = study.attribution;
    shown_.splitRuns.resize(std::min<std::size_t>(study.splitRuns.size(), 1));
    shown_.plan.memoryCap = study.plan.memoryCap;
    shown_.complete = study.complete;
    shown_.sweep = study.sweep;
    refresh();
}

void WhySection::setStage(WhyStage stage, double fraction) {
    const int percent = static_cast<int>(std::floor(std::clamp(fraction, 0.0, 1.0) * 100));
    if (stage != stage_ || percent != percent_) {
        stage_ = stage;
        percent_ = percent;
        refresh();
    }
}

QString WhySection::notice() const {
    switch (stage_) {
        case WhyStage::waiting:
            return tr(
                "Not taken apart yet: that is done once all rounds are measured, by a few further "
                "runs of each arm.");
        case WhyStage::notAsked:
            return tr(
                "This study doesn't take its times apart. Tick Why, in the row under Run, before the "
                "next one.");
        case WhyStage::explaining:
            return tr("Finding out where the time went: %1 %. All rounds are measured; Stop (Esc) keeps "
                      "them.")
                .arg(percent_);
        case WhyStage::idle:
            break;
    }
    if (shown_.arms.empty()) {
        return tr("Run a study to see where the time of each arm goes.");
    }
    if (shown_.sweep) {
        return tr(
            "Sweeps don't take times apart: run one size as a study of its own, with Limit and Why in "
            "the row under Run.");
    }
    if (shown_.plan.memoryCap) {
        return tr(
            "Not told under a memory cap, where the file can't be held in memory to compare with: run "
            "again without Cap.");
    }
    if (!shown_.complete) {
        return tr("Stopped before its times were taken apart: run it again, to the end, with Why ticked.");
    }
    if (!shown_.splitRuns.empty()) {
        return tr(
            "Stopped, or failed, before enough runs were made to take its times apart: run it again, "
            "to the end.");
    }
    return tr("This study was made without it: tick Why, in the row under Run, and run it again.");
}

void WhySection::refresh() {
    std::vector<WhyBar> bars;
    QStringList sentences;
    for (const Attribution& attribution : shown_.attribution) {
        bars.push_back(whyBar(shown_, attribution));
        sentences << QString::fromStdString(printable(attribution.sentence));
    }
    chart_->setBars(std::move(bars), notice());
    sentences_->setText(sentences.join(u'\n'));
    sentences_->setVisible(!sentences.isEmpty());
    detail_->setVisible(!sentences.isEmpty());
    showDetail();
}

void WhySection::showDetail() {
    const QString words = chart_->chosenWords();
    detail_->setText(words.isEmpty() ? tr("Click a piece, or go through them with the arrow keys, to read "
                                          "how it was measured and what is in it.")
                                     : words);
    QPalette ink = detail_->palette();
    ink.setColor(QPalette::WindowText, words.isEmpty() ? theme_.mutedText() : theme_.text());
    detail_->setPalette(ink);
}

void WhySection::setTheme(const Theme& theme) {
    theme_ = theme;
    chart_->setTheme(theme);
    showDetail();
}

}  // namespace mmapscope
