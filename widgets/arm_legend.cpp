#include "widgets/arm_legend.h"

namespace mmapscope {

void ArmLegend::show(const std::vector<LiveArm>& arms, const Theme& theme) {
    setChipCount(arms.size());
    for (std::size_t i = 0; i < arms.size(); ++i) {
        const LiveArm& arm = arms[i];
        QToolButton* button = chip(i);
        showArm(button, static_cast<int>(i), arm.visible, theme);
        // Hidden arms must not be told by the frame of a checked button alone.
        QFont font = this->font();
        font.setStrikeOut(!arm.visible);
        button->setFont(font);
        const bool nothing = !arm.problem.isEmpty() && !arm.hasPoints();
        button->setText(nothing ? tr("%1 ⚠").arg(arm.id) : arm.id);
        button->setToolTip(nothing       ? arm.problem
                           : arm.visible ? tr("Click to hide %1").arg(arm.id)
                                         : tr("Click to show %1").arg(arm.id));
        button->setAccessibleName(tr("Show %1 in the plots").arg(arm.id));
        button->setAccessibleDescription(arm.problem);
    }
    arrangeChips();
}

void ArmLegend::chipToggled(std::size_t index, bool checked) {
    emit visibilityWanted(static_cast<std::uint32_t>(index), checked);
}

}  // namespace mmapscope
