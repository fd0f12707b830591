// The order of Compare's rows.
#pragma once

#include <QSortFilterProxyModel>

#include "widgets/summary_model.h"

namespace mmapscope {

/// Figures that are absent stay at the end whichever way the others are sorted.
class SummarySorter : public QSortFilterProxyModel {
  public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

  protected:
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override {
        const QVariant a = left.data(SummaryModel::kValueRole);
        const QVariant b = right.data(SummaryModel::kValueRole);
        if (a.isValid() != b.isValid()) {
            return a.isValid() == (sortOrder() == Qt::AscendingOrder);
        }
        if (left.column() == SummaryModel::kArm) {
            return a.toString() < b.toString();
        }
        return a.toDouble() < b.toDouble();
    }
};

}  // namespace mmapscope
