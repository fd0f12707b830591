#include "app/gui/parameter_delegate.h"

#include <QComboBox>
#include <QLineEdit>
#include <algorithm>

#include "app/gui/arms_model.h"
#include "app/gui/parameter_text.h"

namespace mmapscope {
namespace {

/// Above and below the text together: check boxes of neighbouring rows keep apart.
constexpr int kRowPadding = 4;

const ParameterSpec* specOf(const QModelIndex& index) {
    return static_cast<const ParameterSpec*>(index.data(ArmsModel::kSpec).value<void*>());
}

QStringList choicesOf(const ParameterSpec& spec) {
    if (spec.kind == ParameterKind::flag) {
        return {QStringLiteral("no"), QStringLiteral("yes")};
    }
    QStringList choices;
    if (spec.defaultValue == "auto") {
        choices << QStringLiteral("auto");
    }
    for (const std::string_view choice : spec.choices) {
        if (choice != "auto") {
            choices << toQString(choice);
        }
    }
    return choices;
}

}  // namespace

QWidget* ParameterDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                         const QModelIndex& index) const {
    const ParameterSpec* spec = specOf(index);
    if (spec == nullptr) {
        return nullptr;
    }
    QWidget* editor = nullptr;
    if (spec->kind == ParameterKind::choice || spec->kind == ParameterKind::flag) {
        auto* combo = new QComboBox(parent);
        combo->addItems(choicesOf(*spec));
        // A choice made is a choice meant: no second Enter needed.
        connect(combo, &QComboBox::activated, this, [this, combo] {
            auto* self = const_cast<ParameterDelegate*>(this);  // NOLINT: signals of a const factory
            emit self->commitData(combo);
            emit self->closeEditor(combo);
        });
        editor = combo;
    } else {
        auto* line = new QLineEdit(parent);
        line->setFrame(false);
        line->setAcceptDrops(false);
        editor = line;
    }
    editor->setAutoFillBackground(true);
    editor->setToolTip(parameterHelp(*spec));
    editor->setAccessibleName(toQString(spec->name));
    editor->setAccessibleDescription(parameterHelp(*spec));
    return editor;
}

void ParameterDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
    const QString value = index.data(Qt::EditRole).toString();
    if (auto* combo = qobject_cast<QComboBox*>(editor)) {
        combo->setCurrentText(value);
    } else if (auto* line = qobject_cast<QLineEdit*>(editor)) {
        line->setText(value);
    }
}

void ParameterDelegate::setModelData(QWidget* editor, QAbstractItemModel* model,
                                     const QModelIndex& index) const {
    if (const auto* combo = qobject_cast<QComboBox*>(editor)) {
        model->setData(index, combo->currentText(), Qt::EditRole);
    } else if (const auto* line = qobject_cast<QLineEdit*>(editor)) {
        model->setData(index, line->text(), Qt::EditRole);
    }
}

QSize ParameterDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QSize hint = QStyledItemDelegate::sizeHint(option, index);
    return {hint.width(), std::max(hint.height(), option.fontMetrics.height() + kRowPadding)};
}

void ParameterDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    const bool available = index.data(ArmsModel::kAvailable).toBool();
    if (index.column() == ArmsModel::kHow) {
        option->font.setUnderline(true);
        option->palette.setBrush(QPalette::Text, option->palette.brush(QPalette::Link));
    } else if (!available) {
        option->state &= ~QStyle::State_Enabled;
    }
}

}  // namespace mmapscope
