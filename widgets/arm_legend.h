// The arms of Live with their line samples; a click (or Space) hides and shows one.
#pragma once

#include <QToolButton>
#include <QWidget>
#include <vector>

#include "widgets/live_store.h"
#include "widgets/theme.h"

namespace mmapscope {

class ArmLegend : public QWidget {
    Q_OBJECT

  public:
    explicit ArmLegend(QWidget* parent = nullptr) : QWidget(parent) {}

    /// Makes buttons only where the arms changed, so that keyboard focus stays.
    void show(const std::vector<LiveArm>& arms, const Theme& theme);

    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;

  signals:
    void visibilityWanted(std::uint32_t arm, bool visible);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    /// Places the buttons in rows; returns the height.
    int arrange(int width, bool move) const;

    std::vector<QToolButton*> buttons_;
};

}  // namespace mmapscope
