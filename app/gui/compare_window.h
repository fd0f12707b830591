// A window of its own with studies side by side; they are read in the background, and nothing is run.
#pragma once

#include <QDialog>
#include <QStringList>
#include <functional>
#include <memory>
#include <vector>

#include "app/gui/study_export.h"
#include "study/side_by_side.h"
#include "widgets/background_job.h"

class QDialogButtonBox;
class QLabel;
class QPushButton;
class QTableWidget;

namespace mmapscope {

class MessageLine;
class SideBySidePanel;

class CompareWindow : public QDialog {
    Q_OBJECT

  public:
    /// `first`: an open study that the files are held against; nullptr: the first file is.
    CompareWindow(std::shared_ptr<const Study> first, const QStringList& paths, QWidget* parent = nullptr);

    /// Reads further studies; what can't be read is told, and the others stay.
    void add(const QStringList& paths);
    /// In the background; refused where it would overwrite one of the studies, or what one measured.
    void saveAs(std::string (*write)(const SideBySide&), const QString& path);

    [[nodiscard]] SideBySidePanel* panel() const { return panel_; }
    /// Name (studies of one name are one side) and file of each; names can be edited.
    [[nodiscard]] QTableWidget* studies() const { return studies_; }
    /// Why there is nothing to see; empty where there is.
    [[nodiscard]] QString problem() const;

  signals:
    /// Studies were read and compared, or can't be.
    void ready();
    void saved(const QString& path);

  private:
    using Read = Result<std::vector<ComparedFile>>;

    void makeStudies();
    void makeButtons();
    void take(Read read);
    void showStudies();
    void compare();
    void showComparison(Result<SideBySide> compared);
    void rename(int row, const QString& name);
    void removeSelected();
    void makeSelectedFirst();
    void askAdd();
    void askSave(const QString& suffix, std::string (*write)(const SideBySide&));
    void showState(const QString& words);
    void updateButtons();

    std::vector<ComparedFile> listed_;
    MessageLine* message_;
    QTableWidget* studies_;
    QPushButton* add_;
    QPushButton* remove_;
    QPushButton* makeFirst_;
    QLabel* state_;
    SideBySidePanel* panel_;
    QDialogButtonBox* buttons_;
    std::vector<QPushButton*> takeAway_;
    std::shared_ptr<const SideBySide> compared_;
    BackgroundJob readJob_, compareJob_, saveJob_;
};

}  // namespace mmapscope
