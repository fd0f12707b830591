#include "widgets/chip_row.h"

#include <QIcon>
#include <algorithm>

#include "widgets/glyphs.h"

namespace mmapscope {

void ChipRow::setChipCount(std::size_t count) {
    while (chips_.size() > count) {
        delete chips_.back();
        chips_.pop_back();
    }
    while (chips_.size() < count) {
        auto* button = new QToolButton(this);
        const std::size_t index = chips_.size();
        button->setCheckable(true);
        button->setAutoRaise(true);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setIconSize(QSize(30, 12));
        button->setFocusPolicy(Qt::TabFocus);
        connect(button, &QToolButton::toggled, this,
                [this, index](bool checked) { chipToggled(index, checked); });
        button->setVisible(true);
        chips_.push_back(button);
        chipMade(button, index);
    }
}

void ChipRow::showArm(QToolButton* chip, int arm, bool shown, const Theme& theme) {
    QPen pen = theme.armPen(arm);
    if (!shown) {
        pen.setColor(theme.axisLine());
    }
    const QSignalBlocker quiet(chip);
    chip->setChecked(shown);
    chip->setIcon(QIcon(lineSample(pen, theme.armMarker(arm), devicePixelRatioF())));
}

void ChipRow::arrangeChips() {
    arrange(width(), true);
    updateGeometry();
}

int ChipRow::arrange(int width, bool move) const {
    constexpr int kGap = 4;
    int x = 0;
    int y = 0;
    int rowHeight = 0;
    for (QToolButton* button : chips_) {
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

int ChipRow::heightForWidth(int width) const {
    return arrange(width, false);
}

QSize ChipRow::sizeHint() const {
    return {width(), arrange(std::max(width(), 200), false)};
}

void ChipRow::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrangeChips();
}

}  // namespace mmapscope
