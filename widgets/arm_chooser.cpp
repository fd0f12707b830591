#include "widgets/arm_chooser.h"

#include <QButtonGroup>
#include <QSignalBlocker>

namespace mmapscope {

ArmChooser::ArmChooser(QWidget* parent) : ChipRow(parent), group_(new QButtonGroup(this)) {
    setAccessibleName(tr("Arm shown in the fault map"));
}

void ArmChooser::chipMade(QToolButton* chip, std::size_t index) {
    group_->addButton(chip, static_cast<int>(index));
}

void ArmChooser::show(const std::vector<ChoosableArm>& arms, std::uint32_t chosen, const Theme& theme) {
    arms_ = arms;
    setChipCount(arms.size());
    group_->setExclusive(false);  // an exclusive group refuses to uncheck
    for (std::size_t i = 0; i < arms.size(); ++i) {
        const ChoosableArm& arm = arms[i];
        QToolButton* button = chip(i);
        showArm(button, static_cast<int>(arm.arm), arm.arm == chosen, theme);
        QFont font = this->font();
        font.setBold(arm.arm == chosen);
        button->setFont(font);
        button->setText(tr("%1  %2", "arm, figure").arg(arm.id, arm.figure));
        button->setToolTip(tr("Show the page faults of %1").arg(arm.id));
        button->setAccessibleName(tr("Show the page faults of %1").arg(arm.id));
    }
    group_->setExclusive(true);
    arrangeChips();
}

void ArmChooser::chipToggled(std::size_t index, bool checked) {
    if (checked && index < arms_.size()) {
        emit armChosen(arms_[index].arm);
    }
}

}  // namespace mmapscope
