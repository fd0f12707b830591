// How large the pieces are that hold a file in the page cache: a bar of shares, small folios to large.
#pragma once

#include <QString>
#include <QWidget>
#include <optional>

#include "probe/folios.h"

namespace mmapscope {

class FolioBar : public QWidget {
    Q_OBJECT

  public:
    explicit FolioBar(QWidget* parent = nullptr);

    /// nullopt: not told; the bar is empty and says nothing.
    void setLook(std::optional<FolioLook> look);
    /// "64 KiB: 12 % of the cached bytes" for the part at `x`; empty beside the bar.
    [[nodiscard]] QString toolTipAt(int x) const;
    /// By what the sizes are told, and how many places were looked at.
    [[nodiscard]] static QString basisText(const FolioLook& look);

    [[nodiscard]] QSize sizeHint() const override { return {220, kHeight}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {60, kHeight}; }

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    static constexpr int kHeight = 12;

    std::optional<FolioLook> look_;
};

}  // namespace mmapscope
