#include "widgets/arm_legend.h"

#include <QIcon>
#include <algorithm>

#include "widgets/glyphs.h"

namespace mmapscope {

void ArmLegend::show(const std::vector<LiveArm>& arms, const Theme& theme) {
    while (buttons_.size() > arms.size()) {
        delete buttons_.back();
        buttons_.pop_back();
    }
    while (buttons_.size() < arms.size()) {
        auto* button = new QToolButton(this);
        const auto index = static_cast<std::uint32_t>(buttons_.size());
        button->setCheckable(true);
        button->setAutoRaise(true);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setIconSize(QSize(30, 12));
        button->setFocusPolicy(Qt::TabFocus);
        connect(button, &QToolButton::toggled, this,
                [this, index](bool checked) { emit visibilityWanted(index, checked); });
        button->setVisible(true);
        buttons_.push_back(button);
    }
    for (std::size_t i = 0; i < arms.size(); ++i) {
        const LiveArm& arm = arms[i];
        const int index = static_cast<int>(i);
        QPen pen = theme.armPen(index);
        if (!arm.visible) {
            pen.setColor(theme.axisLine());
        }
        QToolButton* button = buttons_[i];
        const QSignalBlocker quiet(button);
        button->setChecked(arm.visible);
        button->setIcon(QIcon(lineSample(pen, theme.armMarker(index), devicePixelRatioF())));
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
    arrange(width(), true);
    updateGeometry();
}

int ArmLegend::arrange(int width, bool move) const {
    constexpr int kGap = 4;
    int x = 0;
    int y = 0;
    int rowHeight = 0;
    for (QToolButton* button : buttons_) {
        const QSize size = button->sizeHint();
        if (x > 0 && x + size.width() > width) {
            x = 0;
            y += rowHeight + kGap;
            rowHeight = 0;
        }
        if (move) {
            button->setGeometry(QRect(QPoint(x, y), size));
        }
        x += size.width() + kGap;
        rowHeight = std::max(rowHeight, size.height());
    }
    return y + rowHeight;
}

int ArmLegend::heightForWidth(int width) const {
    return arrange(width, false);
}

QSize ArmLegend::sizeHint() const {
    return {width(), arrange(std::max(width(), 200), false)};
}

void ArmLegend::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange(width(), true);
    updateGeometry();
}

}  // namespace mmapscope
