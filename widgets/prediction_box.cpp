#include "widgets/prediction_box.h"

#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QRadioButton>
#include <QVBoxLayout>

namespace mmapscope {
namespace {

QString text(const std::string& words) {
    return QString::fromStdString(words);
}

}  // namespace

PredictionBox::PredictionBox(QWidget* parent)
    : QWidget(parent), question_(new QLabel(this)), answers_(new QVBoxLayout) {
    question_->setObjectName(QStringLiteral("lessonQuestion"));
    question_->setWordWrap(true);
    question_->setTextFormat(Qt::PlainText);
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(0, 0, 0, 0);
    box->addWidget(question_);
    box->addLayout(answers_);
}

void PredictionBox::clear() {
    options_.clear();
    number_ = nullptr;
    while (QLayoutItem* item = answers_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

void PredictionBox::addOption(const LessonOption& option) {
    // A '&' in the words is no mnemonic.
    auto* button = new QRadioButton(text(option.text).replace(QLatin1Char('&'), QStringLiteral("&&")), this);
    button->setObjectName(QStringLiteral("lessonOption-") + text(option.name));
    button->setProperty("option", text(option.name));
    button->setAccessibleDescription(question_->text());
    connect(button, &QRadioButton::toggled, this, &PredictionBox::changed);
    options_ << button;
    answers_->addWidget(button);
}

void PredictionBox::addNumber(const LessonPrediction& prediction) {
    auto* row = new QWidget(this);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    number_ = new QDoubleSpinBox(row);
    number_->setObjectName(QStringLiteral("lessonNumber"));
    number_->setAccessibleName(question_->text());
    number_->setDecimals(0);
    number_->setGroupSeparatorShown(true);
    // One below the least stands for "nothing entered": a learner's zero is an answer.
    number_->setRange(prediction.least - 1, prediction.most);
    number_->setSpecialValueText(tr("enter a number"));
    number_->setValue(prediction.least - 1);
    number_->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    connect(number_, &QDoubleSpinBox::valueChanged, this, &PredictionBox::changed);
    line->addWidget(number_);
    line->addWidget(new QLabel(text(prediction.unit), row));
    line->addStretch(1);
    answers_->addWidget(row);
}

void PredictionBox::setPrediction(const LessonPrediction& prediction) {
    clear();
    question_->setText(text(prediction.question));
    if (prediction.kind == PredictionKind::number) {
        addNumber(prediction);
    }
    for (const LessonOption& option : prediction.options) {
        addOption(option);
    }
    setFixed(false);
    emit changed();
}

std::optional<Predicted> PredictionBox::predicted() const {
    if (number_ != nullptr && number_->value() > number_->minimum()) {
        return Predicted{{}, number_->value()};
    }
    for (const QRadioButton* option : options_) {
        if (option->isChecked()) {
            return Predicted{option->property("option").toString().toStdString(), 0};
        }
    }
    return std::nullopt;
}

void PredictionBox::setFixed(bool fixed) {
    for (QRadioButton* option : options_) {
        option->setEnabled(!fixed);
    }
    if (number_ != nullptr) {
        number_->setEnabled(!fixed);
    }
}

}  // namespace mmapscope
