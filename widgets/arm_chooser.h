// One of a study's arms, chosen by a click or the arrow keys.
#pragma once

#include <QString>
#include <vector>

#include "widgets/chip_row.h"

class QButtonGroup;

namespace mmapscope {

struct ChoosableArm {
    std::uint32_t arm = 0;  ///< index into study.arms, for its colour
    QString id;
    QString figure;  ///< beside its name
};

class ArmChooser : public ChipRow {
    Q_OBJECT

  public:
    explicit ArmChooser(QWidget* parent = nullptr);

    /// `chosen`: an arm of `arms`. Emits nothing.
    void show(const std::vector<ChoosableArm>& arms, std::uint32_t chosen, const Theme& theme);

  signals:
    void armChosen(std::uint32_t arm);

  protected:
    void chipMade(QToolButton* chip, std::size_t index) override;
    void chipToggled(std::size_t index, bool checked) override;

  private:
    QButtonGroup* group_;
    std::vector<ChoosableArm> arms_;
};

}  // namespace mmapscope
