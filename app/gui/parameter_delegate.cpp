#include "app/gui/parameter_delegate.h"

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QPersistentModelIndex>
#include <algorithm>
#include <optional>

#include "app/gui/arms_model.h"
#include "app/gui/parameter_text.h"
#include "widgets/glyphs.h"
#include "widgets/theme.h"

namespace mmapscope {
namespace {

/// Above and below the text together: check boxes of neighbouring rows keep apart.
constexpr int kRowPadding = 6;
constexpr int kGlyph = 12;

const ParameterSpec* specOf(const QModelIndex& index) {
    return static_cast<const ParameterSpec*>(index.data(ArmsModel::kSpec).value<void*>());
}

bool namesFile(const ParameterSpec& spec) {
    return spec.file != FileRole::none;
}

/// How a cell is edited; absent where it can't be.
std::optional<Glyph> glyphOf(const QModelIndex& index) {
    const ParameterSpec* spec = specOf(index);
    if (spec == nullptr || !index.flags().testFlag(Qt::ItemIsEditable)) {
        return std::nullopt;
    }
    if (namesFile(*spec)) {
        return Glyph::more;
    }
    const bool fromList = spec->kind == ParameterKind::choice || spec->kind == ParameterKind::flag;
    return fromList ? Glyph::choose : Glyph::pencil;
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
        if (namesFile(*spec)) {
            const QColor color = Theme::forPalette(line->palette()).text();
            QAction* choose = line->addAction(glyphIcon(Glyph::more, color), QLineEdit::TrailingPosition);
            choose->setText(tr("Choose a file…"));
            choose->setShortcut(Qt::Key_F4);
            choose->setShortcutContext(Qt::WidgetShortcut);
            choose->setToolTip(tr("Choose a file… (F4)"));
            connect(choose, &QAction::triggered, this, [this, cell = QPersistentModelIndex(index)] {
                emit const_cast<ParameterDelegate*>(this)->fileWanted(cell);  // NOLINT: as below
            });
        }
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

QRect ParameterDelegate::fileButton(const QRect& cell) {
    return {cell.right() - 2 * kGlyph, cell.top(), 2 * kGlyph + 1, cell.height()};
}

bool ParameterDelegate::editorEvent(QEvent* event, QAbstractItemModel* model,
                                    const QStyleOptionViewItem& option, const QModelIndex& index) {
    if (event->type() == QEvent::MouseButtonRelease && glyphOf(index) == Glyph::more) {
        const auto* click = static_cast<const QMouseEvent*>(event);
        if (click->button() == Qt::LeftButton &&
            fileButton(option.rect).contains(click->position().toPoint())) {
            emit fileWanted(index);
            return true;
        }
    }
    return QStyledItemDelegate::editorEvent(event, model, option, index);
}

void ParameterDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);
    if (glyphOf(index)) {
        const bool selected = option.state.testFlag(QStyle::State_Selected);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(selected ? option.palette.color(QPalette::HighlightedText)
                                 : Theme::forPalette(option.palette).axisLine());
        painter->drawRoundedRect(QRectF(option.rect).adjusted(0.5, 1.5, -1.5, -1.5), 3, 3);
        painter->restore();
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
    if (const auto glyph = glyphOf(index)) {
        const bool selected = option->state.testFlag(QStyle::State_Selected);
        const QColor color = selected ? option->palette.color(QPalette::HighlightedText)
                                      : Theme::forPalette(option->palette).mutedText();
        option->features |= QStyleOptionViewItem::HasDecoration;
        option->icon = glyphIcon(*glyph, color);
        option->decorationPosition = QStyleOptionViewItem::Right;
        option->decorationAlignment = Qt::AlignRight | Qt::AlignVCenter;
        option->decorationSize = QSize(kGlyph, kGlyph);
    }
}

}  // namespace mmapscope
