#include "app/gui/parameter_file.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QPersistentModelIndex>

#include "app/gui/arms_model.h"
#include "app/gui/parameter_text.h"

namespace mmapscope {

void chooseParameterFile(QWidget* parent, const QModelIndex& cell, const QString& folder) {
    const auto* spec = static_cast<const ParameterSpec*>(cell.data(ArmsModel::kSpec).value<void*>());
    if (spec == nullptr || spec->file == FileRole::none) {
        return;
    }
    auto* dialog =
        new QFileDialog(parent, QFileDialog::tr("The file for %1").arg(toQString(spec->name)), folder);
    dialog->setObjectName(QStringLiteral("parameterFile"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    const bool reads = spec->file == FileRole::reads;
    dialog->setAcceptMode(reads ? QFileDialog::AcceptOpen : QFileDialog::AcceptSave);
    dialog->setFileMode(reads ? QFileDialog::ExistingFile : QFileDialog::AnyFile);
    if (const QString now = cell.data(Qt::EditRole).toString(); !now.isEmpty()) {
        const QFileInfo file(now);
        dialog->setDirectory(file.absolutePath());
        dialog->selectFile(file.fileName());
    }
    auto* model = const_cast<QAbstractItemModel*>(cell.model());  // NOLINT: indexes give it as const only
    QObject::connect(dialog, &QFileDialog::fileSelected, model,
                     [model, at = QPersistentModelIndex(cell)](const QString& path) {
                         if (at.isValid()) {
                             model->setData(at, path, Qt::EditRole);
                         }
                     });
    dialog->open();
}

}  // namespace mmapscope
