// What of the file was cached before, during and after an arm's inspection run: a strip a look.
#pragma once

#include <QWidget>
#include <optional>

#include "run/residency_history.h"

namespace mmapscope {

class ResidencyHistoryView : public QWidget {
    Q_OBJECT

  public:
    explicit ResidencyHistoryView(QWidget* parent = nullptr);

    /// Time goes down, the file from left to right. nullopt: no run yet.
    void setHistory(std::optional<ResidencyHistory> history);
    /// "before 0 %, after 100 %": what is shown, in words.
    [[nodiscard]] QString text() const;
    [[nodiscard]] QString toolTipAt(const QPoint& at) const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    [[nodiscard]] QRect strips() const;
    [[nodiscard]] static double shareOf(const ResidencyHistory::Look& look);

    std::optional<ResidencyHistory> history_;
};

}  // namespace mmapscope
