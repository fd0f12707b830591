// Chooses the file that a parameter names.
#pragma once

#include <QModelIndex>
#include <QString>

class QWidget;

namespace mmapscope {

/// Opens a dialog over `parent`'s window and returns at once; what is chosen there becomes the cell's value,
/// if the cell is still there. It begins at the file the cell names, else in `folder`.
void chooseParameterFile(QWidget* parent, const QModelIndex& cell, const QString& folder);

}  // namespace mmapscope
