// A plot to take away: which, how large, in what form; with a look at it beforehand.
#pragma once

#include <QDialog>
#include <QTimer>
#include <memory>

#include "app/publish/publish.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace mmapscope {

class PlotDialog : public QDialog {
    Q_OBJECT

  public:
    /// `first`: the kind that is shown at first, where the study has it.
    PlotDialog(std::shared_ptr<const Study> study, PlotKind first, QWidget* parent = nullptr);

    [[nodiscard]] PlotOptions options() const;
    /// Why it can't be drawn like that; empty when it can.
    [[nodiscard]] QString problem() const { return problem_; }

  signals:
    void saveAsked(const mmapscope::PlotOptions& options);

  private:
    void fillKinds(PlotKind first);
    void preview();
    void copy();

    std::shared_ptr<const Study> study_;
    QComboBox* kind_;
    QComboBox* format_;
    QComboBox* theme_;
    QSpinBox* width_;
    QSpinBox* height_;
    QDoubleSpinBox* scale_;
    QLabel* picture_;
    QLabel* words_;
    QPushButton* save_;
    QPushButton* copy_;
    QTimer later_;
    QString problem_;
};

}  // namespace mmapscope
