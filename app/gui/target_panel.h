// Target: the file under study, where it lies, and how much of it is in the page cache now.
#pragma once

#include <QList>
#include <QTimer>
#include <QWidget>
#include <optional>

#include "app/gui/target_facts.h"
#include "run/run_record.h"
#include "widgets/background_job.h"

class QFormLayout;
class QLabel;
class QPushButton;

namespace mmapscope {

class FolioBar;
class ResidencyBar;

class TargetPanel : public QWidget {
    Q_OBJECT
  public:
    explicit TargetPanel(QWidget* parent = nullptr);

    /// Looks at the file on another thread; then fileOpened, or failed and the file before stays.
    void open(const QString& path);
    [[nodiscard]] const std::optional<TargetFacts>& target() const { return target_; }
    /// While arms are measured nothing here touches the file or the page cache.
    void setMeasuring(bool measuring);

  signals:
    void fileOpened();
    /// The file is a study: to be opened as one.
    void studyFound(const QString& path);
    void failed(const QString& error);
    /// The user wants the cache changed; the window asks first and then calls prepare().
    void prepareAsked(mmapscope::CacheState state);

  public slots:
    void prepare(mmapscope::CacheState state);

  protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

  private:
    QLabel* addRow(QFormLayout* form, const QString& title, const QString& name);
    void showTarget();
    void refreshResidency();
    void showFolios(const Result<FolioLook>& look);
    void scheduleRefresh(std::chrono::nanoseconds cost);
    void updateButtons();
    void restyle();

    std::optional<TargetFacts> target_;
    bool measuring_ = false;
    QList<QLabel*> captions_;
    QLabel* name_;
    QLabel* kind_;
    QLabel* size_;
    QLabel* place_;
    QLabel* storage_;
    QLabel* readAhead_;
    QLabel* folios_;
    FolioBar* folioBar_;
    ResidencyBar* residency_;
    QLabel* preparing_;
    QPushButton* evict_;
    QPushButton* warm_;
    QTimer refreshTimer_;
    BackgroundJob openJob_;
    BackgroundJob residencyJob_;
    BackgroundJob prepareJob_;
};

}  // namespace mmapscope
