// A huge-page pool as a bar: in use, reserved, free; surplus hatched.
#pragma once

#include <QWidget>
#include <optional>

#include "probe/huge_pages.h"

namespace mmapscope {

class PoolGauge : public QWidget {
    Q_OBJECT

  public:
    explicit PoolGauge(QWidget* parent = nullptr);

    /// nullopt: this kernel has no pool.
    void setPool(const std::optional<PoolFacts>& pool);

    [[nodiscard]] QSize sizeHint() const override { return {180, 18}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {80, 18}; }

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    std::optional<PoolFacts> pool_;
};

}  // namespace mmapscope
