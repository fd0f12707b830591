// The parameters of one workload as name and value, the value edited in place.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "core/parameters.h"

namespace mmapscope {

class ParametersModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    using QAbstractTableModel::QAbstractTableModel;

    /// `specs` outlives the model: it is the registry's. Values become the defaults.
    void setSpecs(const std::vector<ParameterSpec>& specs);
    /// Values of the same specs.
    void setValues(const Parameters& values);
    [[nodiscard]] const Parameters& values() const { return values_; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

  signals:
    void rejected(const QString& reason);

  private:
    [[nodiscard]] const ParameterSpec& specAt(const QModelIndex& index) const;

    const std::vector<ParameterSpec>* specs_ = nullptr;
    Parameters values_;
};

}  // namespace mmapscope
