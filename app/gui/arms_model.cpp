#include "app/gui/arms_model.h"

#include <QBrush>
#include <QGuiApplication>
#include <QPalette>
#include <algorithm>

#include "app/gui/parameter_text.h"

namespace mmapscope {

struct ArmsModel::Row {
    const SourceType* source = nullptr;
    Parameters parameters;
    Availability availability;
    bool ticked = false;
    bool again = false;  ///< made by addAgain

    [[nodiscard]] bool hasChildren() const { return source->parameters.size() > 1; }
};

ArmsModel::ArmsModel(const std::vector<const SourceType*>& sources, QObject* parent)
    : QAbstractItemModel(parent) {
    for (const SourceType* source : sources) {
        auto row = std::make_unique<Row>();
        row->source = source;
        row->parameters = defaultParameters(source->parameters);
        rows_.push_back(std::move(row));
    }
}

ArmsModel::~ArmsModel() = default;

// An arm's index points nowhere; a parameter's index points to the arm it belongs to.
QModelIndex ArmsModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) {
        return {};
    }
    return createIndex(row, column,
                       parent.isValid() ? rows_[static_cast<std::size_t>(parent.row())].get() : nullptr);
}

QModelIndex ArmsModel::parent(const QModelIndex& index) const {
    const void* owner = index.isValid() ? index.internalPointer() : nullptr;
    const auto found =
        std::find_if(rows_.begin(), rows_.end(), [&](const auto& row) { return row.get() == owner; });
    return found == rows_.end() ? QModelIndex()
                                : createIndex(static_cast<int>(found - rows_.begin()), kArm, nullptr);
}

int ArmsModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) {
        return static_cast<int>(rows_.size());
    }
    const Row* row = rowOf(parent);
    const bool isArm = parent.internalPointer() == nullptr && parent.column() == kArm;
    return isArm && row->hasChildren() ? static_cast<int>(row->source->parameters.size()) : 0;
}

int ArmsModel::columnCount(const QModelIndex&) const {
    return kColumns;
}

ArmsModel::Row* ArmsModel::rowOf(const QModelIndex& index) const {
    void* owner = index.internalPointer();
    return owner != nullptr ? static_cast<Row*>(owner) : rows_[static_cast<std::size_t>(index.row())].get();
}

const ParameterSpec* ArmsModel::specOf(const QModelIndex& index) const {
    if (!index.isValid() || index.column() != kValue) {
        return nullptr;
    }
    const auto& specs = rowOf(index)->source->parameters;
    if (index.internalPointer() != nullptr) {
        return &specs[static_cast<std::size_t>(index.row())];
    }
    return specs.size() == 1 ? specs.data() : nullptr;
}

QVariant ArmsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    const Row& row = *rowOf(index);
    if (role == kSpec) {
        // QVariant has no pointer to const; readers cast it back.
        return QVariant::fromValue(static_cast<void*>(const_cast<ParameterSpec*>(specOf(index))));  // NOLINT
    }
    if (role == kAvailable) {
        return row.availability.available;
    }
    if (role == kReason) {
        return QString::fromStdString(row.availability.reason);
    }
    if (role == kUnlock) {
        return QString::fromStdString(row.availability.unlock);
    }
    if (role == Qt::ForegroundRole && !row.availability.available && index.column() != kHow) {
        return QGuiApplication::palette().brush(QPalette::Disabled, QPalette::Text);
    }
    if (index.internalPointer() != nullptr) {
        const auto& spec = row.source->parameters[static_cast<std::size_t>(index.row())];
        return parameterData(row, spec, index.column(), role);
    }
    return armData(row, index.column(), role);
}

QVariant ArmsModel::armData(const Row& row, int column, int role) const {
    const QString id = toQString(row.source->id);
    const bool available = row.availability.available;
    switch (role) {
        case Qt::DisplayRole:
            if (column == kArm) {
                return id;
            }
            if (column == kValue) {
                return valuesInShort(row.source->parameters, row.parameters);
            }
            return available ? QVariant() : tr("How?");
        case Qt::EditRole:
            return column == kValue && row.source->parameters.size() == 1
                       ? QString::fromStdString(textOf(row.parameters, row.source->parameters.front().name))
                       : QVariant();
        case Qt::CheckStateRole:
            return column == kArm ? QVariant(row.ticked && available ? Qt::Checked : Qt::Unchecked)
                                  : QVariant();
        case Qt::ToolTipRole:
        case Qt::AccessibleDescriptionRole: {
            const QString summary = toQString(row.source->summary);
            return available ? summary
                             : tr("%1\nNot available here: %2")
                                   .arg(summary, QString::fromStdString(row.availability.reason));
        }
        case Qt::AccessibleTextRole:
            if (column == kArm) {
                return available ? id : tr("%1, not available here").arg(id);
            }
            return column == kHow && !available ? tr("How to make %1 available").arg(id) : QVariant();
        default:
            return {};
    }
}

QVariant ArmsModel::parameterData(const Row& row, const ParameterSpec& spec, int column, int role) const {
    switch (role) {
        case Qt::DisplayRole:
            if (column == kArm) {
                return toQString(spec.name);
            }
            return column == kValue ? valueInShort(spec, textOf(row.parameters, spec.name)) : QVariant();
        case Qt::EditRole:
            return column == kValue ? QString::fromStdString(textOf(row.parameters, spec.name)) : QVariant();
        case Qt::ToolTipRole:
        case Qt::AccessibleDescriptionRole:
            return parameterHelp(spec);
        default:
            return {};
    }
}

QVariant ArmsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    return section == kArm ? tr("Source") : section == kValue ? tr("Parameters") : QString();
}

Qt::ItemFlags ArmsModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) {
        return Qt::NoItemFlags;
    }
    // Never disabled: what can't run must still be reached by keyboard to say why.
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    if (index.internalPointer() == nullptr && index.column() == kArm &&
        rowOf(index)->availability.available) {
        flags |= Qt::ItemIsUserCheckable;
    }
    if (specOf(index) != nullptr) {
        flags |= Qt::ItemIsEditable;
    }
    return flags;
}

bool ArmsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid()) {
        return false;
    }
    Row& row = *rowOf(index);
    if (role == Qt::CheckStateRole && flags(index).testFlag(Qt::ItemIsUserCheckable)) {
        row.ticked = value.toInt() == Qt::Checked;
        touched_ = true;
        emit dataChanged(index, index, {Qt::CheckStateRole});
        emit choiceChanged();
        return true;
    }
    const ParameterSpec* spec = role == Qt::EditRole ? specOf(index) : nullptr;
    return spec != nullptr && setParameter(row, *spec, value.toString());
}

bool ArmsModel::setParameter(Row& row, const ParameterSpec& spec, const QString& text) {
    const auto value = parseValue(spec, text);
    if (!value) {
        emit rejected(QString::fromStdString(value.error().message));
        return false;
    }
    std::string& current = row.parameters[std::string(spec.name)];
    if (current == *value) {
        return true;
    }
    current = *value;
    touched_ = true;
    const auto at =
        std::find_if(rows_.begin(), rows_.end(), [&](const auto& each) { return each.get() == &row; });
    const QModelIndex arm = index(static_cast<int>(at - rows_.begin()), kArm);
    emit dataChanged(arm, arm.siblingAtColumn(kHow));
    if (row.hasChildren()) {
        emit dataChanged(index(0, kArm, arm), index(rowCount(arm) - 1, kHow, arm));
    }
    emit queriesChanged();
    emit choiceChanged();
    return true;
}

QModelIndex ArmsModel::addAgain(const QModelIndex& arm) {
    const Row* original = rowOf(arm);
    const QModelIndex top = arm.internalPointer() == nullptr ? arm : parent(arm);
    const int at = top.row() + 1;
    auto row = std::make_unique<Row>(*original);
    row->again = true;
    row->ticked = true;
    beginInsertRows({}, at, at);
    rows_.insert(rows_.begin() + at, std::move(row));
    endInsertRows();
    touched_ = true;
    emit queriesChanged();
    emit choiceChanged();
    return index(at, kArm);
}

bool ArmsModel::removable(const QModelIndex& arm) const {
    return arm.isValid() && rowOf(arm)->again;
}

void ArmsModel::remove(const QModelIndex& arm) {
    if (removable(arm)) {
        removeRowAt(arm.internalPointer() == nullptr ? arm.row() : parent(arm).row());
        touched_ = true;
        emit queriesChanged();
        emit choiceChanged();
    }
}

void ArmsModel::removeRowAt(int row) {
    beginRemoveRows({}, row, row);
    rows_.erase(rows_.begin() + row);
    endRemoveRows();
}

void ArmsModel::preselect(const std::vector<ArmChoice>& arms) {
    for (int i = static_cast<int>(rows_.size()) - 1; i >= 0; --i) {
        if (rows_[static_cast<std::size_t>(i)]->again) {
            removeRowAt(i);
        }
    }
    for (const auto& row : rows_) {
        const auto wanted = std::find_if(arms.begin(), arms.end(),
                                         [&](const ArmChoice& arm) { return arm.source == row->source->id; });
        row->ticked = wanted != arms.end();
        row->parameters = defaultParameters(row->source->parameters);
        if (row->ticked) {
            if (const auto parsed = parseParameters(row->source->parameters, wanted->parameters)) {
                row->parameters = *parsed;
            }
        }
    }
    touched_ = false;
    emit dataChanged(index(0, 0), index(rowCount() - 1, kHow));
    emit queriesChanged();
    emit choiceChanged();
}

void ArmsModel::choose(const std::vector<ArmRequest>& arms) {
    preselect({});
    for (const ArmRequest& arm : arms) {
        for (int i = 0; i < rowCount(); ++i) {
            Row* row = rows_[static_cast<std::size_t>(i)].get();
            if (row->source->id != arm.source) {
                continue;
            }
            if (row->ticked) {
                row = rowOf(addAgain(index(i, 0)));
            }
            row->ticked = true;
            row->parameters = arm.sourceParameters;
            break;
        }
    }
    touched_ = true;
    emit dataChanged(index(0, 0), index(rowCount() - 1, kHow));
    emit queriesChanged();
    emit choiceChanged();
}

std::vector<ArmQuery> ArmsModel::queries() const {
    std::vector<ArmQuery> queries;
    queries.reserve(rows_.size());
    for (const auto& row : rows_) {
        queries.push_back({row->source, row->parameters});
    }
    return queries;
}

void ArmsModel::setAvailability(const std::vector<Availability>& answers) {
    if (answers.size() != rows_.size()) {
        return;
    }
    for (std::size_t i = 0; i < answers.size(); ++i) {
        rows_[i]->availability = answers[i];
    }
    emit dataChanged(index(0, 0), index(rowCount() - 1, kHow));
    emit choiceChanged();
}

std::vector<ArmRequest> ArmsModel::chosen(unsigned threads) const {
    std::vector<ArmRequest> arms;
    for (const auto& row : rows_) {
        if (row->ticked && row->availability.available) {
            arms.push_back({std::string(row->source->id), row->parameters, threads});
        }
    }
    return arms;
}

}  // namespace mmapscope
