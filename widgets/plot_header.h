// The line above one of Live's plots: title, unit, the key of its dashes, and room for a control.
#pragma once

#include <QWidget>
#include <vector>

#include "widgets/live_view.h"

class QHBoxLayout;
class QLabel;

namespace mmapscope {

class PlotHeader : public QWidget {
    Q_OBJECT

  public:
    explicit PlotHeader(QWidget* parent = nullptr);

    void show(const QString& title, const QString& unit);
    void setKey(const std::vector<SeriesKind>& kinds, const Theme& theme);
    /// Takes ownership; stands at the right.
    void addControl(QWidget* control);

  private:
    QHBoxLayout* layout_;
    QLabel* title_;
    QLabel* unit_;
    QWidget* key_;
};

}  // namespace mmapscope
