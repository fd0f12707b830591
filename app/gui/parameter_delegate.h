// Edits a parameter in place: sizes as text, choices and flags from a list, files through a dialog. What can
// be edited is framed, with a sign that says how.
#pragma once

#include <QStyledItemDelegate>

namespace mmapscope {

class ParameterDelegate : public QStyledItemDelegate {
    Q_OBJECT
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    [[nodiscard]] QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                                        const QModelIndex& index) const override;
    void setEditorData(QWidget* editor, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

    /// Where in a cell of that extent a click asks for the file dialog.
    [[nodiscard]] static QRect fileButton(const QRect& cell);

  signals:
    /// The file that this parameter names is to be chosen in a dialog.
    void fileWanted(const QModelIndex& index);

  protected:
    /// An arm that can't run is painted as disabled though it can be selected.
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;
};

}  // namespace mmapscope
