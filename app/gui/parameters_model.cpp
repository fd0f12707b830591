#include "app/gui/parameters_model.h"

#include "app/gui/arms_model.h"
#include "app/gui/parameter_text.h"

namespace mmapscope {

void ParametersModel::setSpecs(const std::vector<ParameterSpec>& specs) {
    beginResetModel();
    specs_ = &specs;
    values_ = defaultParameters(specs);
    endResetModel();
}

void ParametersModel::setValues(const Parameters& values) {
    beginResetModel();
    values_ = values;
    endResetModel();
}

int ParametersModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || specs_ == nullptr ? 0 : static_cast<int>(specs_->size());
}

int ParametersModel::columnCount(const QModelIndex&) const {
    return 2;
}

const ParameterSpec& ParametersModel::specAt(const QModelIndex& index) const {
    return (*specs_)[static_cast<std::size_t>(index.row())];
}

QVariant ParametersModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    const ParameterSpec& spec = specAt(index);
    const bool isValue = index.column() == 1;
    switch (role) {
        case Qt::DisplayRole:
            return isValue ? valueInShort(spec, textOf(values_, spec.name)) : toQString(spec.name);
        case Qt::EditRole:
            return isValue ? QVariant(QString::fromStdString(textOf(values_, spec.name))) : QVariant();
        case Qt::ToolTipRole:
        case Qt::AccessibleDescriptionRole:
            return parameterHelp(spec);
        case ArmsModel::kSpec:
            return isValue
                       ? QVariant::fromValue(static_cast<void*>(const_cast<ParameterSpec*>(&spec)))  // NOLINT
                       : QVariant();
        case ArmsModel::kAvailable:
            return true;
        default:
            return {};
    }
}

Qt::ItemFlags ParametersModel::flags(const QModelIndex& index) const {
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.isValid() && index.column() == 1 ? flags | Qt::ItemIsEditable : flags;
}

bool ParametersModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || index.column() != 1 || role != Qt::EditRole) {
        return false;
    }
    const ParameterSpec& spec = specAt(index);
    auto parsed = parseValue(spec, value.toString());
    if (!parsed) {
        emit rejected(QString::fromStdString(parsed.error().message));
        return false;
    }
    std::string& current = values_[std::string(spec.name)];
    if (current != *parsed) {
        current = std::move(*parsed);
        emit dataChanged(index, index);
    }
    return true;
}

}  // namespace mmapscope
