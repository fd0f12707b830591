// Studies side by side: what their machines differ in, each arm's change with its interval, and what that
// says.
#pragma once

#include <QWidget>
#include <memory>

#include "study/side_by_side.h"

class QLabel;
class QTableWidget;

namespace mmapscope {

class RatioChart;

class SideBySidePanel : public QWidget {
    Q_OBJECT

  public:
    explicit SideBySidePanel(QWidget* parent = nullptr);

    void setComparison(std::shared_ptr<const SideBySide> compared);

    [[nodiscard]] QTableWidget* differences() const { return differences_; }
    [[nodiscard]] QTableWidget* arms() const { return arms_; }
    [[nodiscard]] RatioChart* chart() const { return chart_; }
    [[nodiscard]] QString words() const;

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void addReasons();
    void restyle();

    std::shared_ptr<const SideBySide> compared_;
    QLabel* same_;
    QTableWidget* differences_;
    QLabel* refusals_;
    QTableWidget* arms_;
    RatioChart* chart_;
    QLabel* words_;
};

}  // namespace mmapscope
