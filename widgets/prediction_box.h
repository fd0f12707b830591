// A lesson's question and the learner's answer: one of several, or a number.
#pragma once

#include <QWidget>
#include <optional>

#include "lesson/judgement.h"

class QDoubleSpinBox;
class QLabel;
class QVBoxLayout;
class QRadioButton;

namespace mmapscope {

class PredictionBox : public QWidget {
    Q_OBJECT

  public:
    explicit PredictionBox(QWidget* parent = nullptr);

    /// Forgets what was predicted before.
    void setPrediction(const LessonPrediction& prediction);
    /// nullopt: nothing was chosen or entered yet.
    [[nodiscard]] std::optional<Predicted> predicted() const;
    /// Once it is measured nothing is changed any more.
    void setFixed(bool fixed);

  signals:
    void changed();

  private:
    void clear();
    void addOption(const LessonOption& option);
    void addNumber(const LessonPrediction& prediction);

    QLabel* question_;
    QVBoxLayout* answers_;
    QList<QRadioButton*> options_;
    QDoubleSpinBox* number_ = nullptr;
};

}  // namespace mmapscope
