// What a sweep is asked: sizes, the memory cap, how many rounds; and what that will cost.
#pragma once

#include <QDialog>
#include <optional>

#include "core/result.h"
#include "study/sweep.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace mmapscope {

struct SweepChoice {
    std::vector<Bytes> sizes;
    unsigned rounds = 7;
    unsigned morePoints = 8;
    std::optional<Bytes> memoryCap;
};

class SweepDialog : public QDialog {
    Q_OBJECT

  public:
    /// `arms`: how many are ticked. `capPossible`: or why not, with the command that makes it possible.
    SweepDialog(Bytes fileBytes, std::size_t arms, const Status& capPossible, QWidget* parent = nullptr);

  signals:
    void chosen(const mmapscope::SweepChoice& choice);

  private:
    /// Error: usage, in words for the line under the fields.
    [[nodiscard]] Result<SweepChoice> choice() const;
    void check();

    Bytes fileBytes_;
    std::size_t arms_;
    QLineEdit* from_;
    QLineEdit* to_;
    QSpinBox* points_;
    QSpinBox* more_;
    QSpinBox* rounds_;
    QCheckBox* capped_;
    QLineEdit* cap_;
    QLabel* cost_;
    QPushButton* start_;
};

}  // namespace mmapscope
