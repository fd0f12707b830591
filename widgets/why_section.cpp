#include "widgets/why_section.h"

#include <QLabel>
#include <QVBoxLayout>

#include "widgets/why_chart.h"

namespace mmapscope {

WhySection::WhySection(QWidget* parent)
    : QWidget(parent), chart_(new WhyChart(this)), sentences_(new QLabel(this)) {
    auto* heading = new QLabel(tr("Why: where each arm's wall time went"), this);
    QFont bold = heading->font();
    bold.setBold(true);
    heading->setFont(bold);
    sentences_->setWordWrap(true);
    sentences_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    sentences_->setAccessibleName(tr("Where the time went, in words"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(heading);
    layout->addWidget(chart_);
    layout->addWidget(sentences_);
}

void WhySection::setStudy(const Study& study) {
    std::vector<WhyBar> bars;
    QStringList sentences;
    for (const Attribution& attribution : study.attribution) {
        bars.push_back(whyBar(study, attribution));
        sentences << QString::fromStdString(attribution.sentence);
    }
    chart_->setBars(std::move(bars),
                    study.complete
                        ? tr("This study was made without it: tick Why in the row under Run, and run again")
                        : tr("Told once all rounds are measured, by a few more runs (Why in the row under "
                             "Run)"));
    sentences_->setText(sentences.join(u'\n'));
    sentences_->setVisible(!sentences.isEmpty());
}

void WhySection::setTheme(const Theme& theme) {
    chart_->setTheme(theme);
}

}  // namespace mmapscope
