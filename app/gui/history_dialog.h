// History: every study that was saved by itself, to open, name, annotate, compare and delete.
#pragma once

#include <QDialog>
#include <QStringList>
#include <functional>

#include "app/gui/history.h"
#include "widgets/background_job.h"

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace mmapscope {

class HistoryDialog : public QDialog {
    Q_OBJECT

  public:
    /// Of a row's first column: the study's path.
    static constexpr int kPathRole = Qt::UserRole;

    /// `beingWritten` tells the path of the study that is measured now and so would be written over; empty:
    /// none.
    explicit HistoryDialog(
        const QString& folder, QWidget* parent = nullptr,
        std::function<QString()> beingWritten = [] { return QString(); });
    /// Words that were typed and not yet written are written still.
    ~HistoryDialog() override;

    /// Writes typed words first; stays, once, where they can't be written.
    void reject() override;

    [[nodiscard]] QTreeWidget* list() const { return list_; }
    [[nodiscard]] QString said() const;

  signals:
    void openAsked(const QString& path);
    void compareAsked(const QStringList& paths);
    /// The list is filled, again after every change.
    void filled();

  private:
    void build();
    void read();
    void take(const std::vector<HistoryEntry>& entries);
    void showCurrent();
    void filter(const QString& words);
    [[nodiscard]] bool wordsChanged() const;
    void setWordsKept();
    void saveWords();
    void writeNext();
    void askDelete();
    void remove(const QStringList& paths);
    [[nodiscard]] QStringList selected() const;

    struct Words {
        QString path, title, note;
    };

    QString folder_;
    std::function<QString()> beingWritten_;
    QString wordsOf_;             ///< the study whose words are on show; empty: none's
    std::vector<Words> waiting_;  ///< to be written one after the other; the first is being written
    bool closing_ = false, unwritten_ = false;
    QLineEdit* filter_;
    QTreeWidget* list_;
    QLabel* state_;
    QLabel* result_;
    QLineEdit* title_;
    QPlainTextEdit* note_;
    QPushButton* keep_;
    QPushButton* open_;
    QPushButton* compare_;
    QPushButton* delete_;
    std::vector<HistoryEntry> entries_;
    BackgroundJob readJob_, changeJob_, deleteJob_;
};

}  // namespace mmapscope
