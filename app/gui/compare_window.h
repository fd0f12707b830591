// A window of its own with studies side by side; they are read in the background.
#pragma once

#include <QDialog>
#include <QStringList>
#include <memory>
#include <optional>

#include "study/side_by_side.h"
#include "widgets/background_job.h"

class QDialogButtonBox;
class QLabel;

namespace mmapscope {

class SideBySidePanel;

class CompareWindow : public QDialog {
    Q_OBJECT

  public:
    /// `first`: an open study that the files are held against; nullptr: the first file is.
    CompareWindow(std::shared_ptr<const Study> first, const QStringList& paths, QWidget* parent = nullptr);

    [[nodiscard]] SideBySidePanel* panel() const { return panel_; }
    /// Why there is nothing to see; empty where there is.
    [[nodiscard]] QString problem() const;

  signals:
    /// Studies were read, or can't be.
    void ready();
    /// The user wants it in a file of that suffix (md, csv, json).
    void saveAsked(const QString& suffix, std::function<std::string()> content);

  private:
    void take(Result<SideBySide> compared);

    QLabel* state_;
    SideBySidePanel* panel_;
    QDialogButtonBox* buttons_;
    std::shared_ptr<const SideBySide> compared_;
    BackgroundJob job_;
};

}  // namespace mmapscope
