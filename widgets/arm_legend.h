// The arms of Live with their line samples; a click (or Space) hides and shows one.
#pragma once

#include <vector>

#include "widgets/chip_row.h"
#include "widgets/live_store.h"

namespace mmapscope {

class ArmLegend : public ChipRow {
    Q_OBJECT

  public:
    explicit ArmLegend(QWidget* parent = nullptr) : ChipRow(parent) {}

    void show(const std::vector<LiveArm>& arms, const Theme& theme);

  signals:
    void visibilityWanted(std::uint32_t arm, bool visible);

  protected:
    void chipToggled(std::size_t index, bool checked) override;
};

}  // namespace mmapscope
