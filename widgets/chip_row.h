// Checkable buttons in rows that wrap, one an arm, each with the arm's line sample.
#pragma once

#include <QToolButton>
#include <QWidget>
#include <cstddef>
#include <vector>

#include "widgets/theme.h"

namespace mmapscope {

class ChipRow : public QWidget {
    Q_OBJECT

  public:
    explicit ChipRow(QWidget* parent = nullptr) : QWidget(parent) {}

    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;

  protected:
    void resizeEvent(QResizeEvent* event) override;

    /// Makes and removes chips only where their number changed, so that keyboard focus stays.
    void setChipCount(std::size_t count);
    [[nodiscard]] QToolButton* chip(std::size_t index) const { return chips_[index]; }
    [[nodiscard]] std::size_t chipCount() const { return chips_.size(); }
    /// The arm's colour, dash and marker; pale where `shown` is false. Emits nothing.
    void showArm(QToolButton* chip, int arm, bool shown, const Theme& theme);
    /// After the chips' texts changed.
    void arrangeChips();
    virtual void chipMade(QToolButton*, std::size_t) {}
    virtual void chipToggled(std::size_t index, bool checked) = 0;

  private:
    /// Places the chips in rows; returns the height.
    int arrange(int width, bool move) const;

    std::vector<QToolButton*> chips_;
};

}  // namespace mmapscope
