// Does what the Learn panel asks for: runs a lesson's studies on another thread, saves its page and its
// study.
#pragma once

#include <QObject>

#include "lesson/lesson_runner.h"
#include "widgets/background_job.h"

namespace mmapscope {

class LearnPanel;

class LessonSession : public QObject {
    Q_OBJECT
  public:
    LessonSession(LearnPanel* panel, QObject* parent);

    [[nodiscard]] bool running() const { return running_; }
    void stop();
    /// Another measurement runs: the panel waits.
    void setBusy(bool busy);
    /// Instead of the one beside this program.
    void setWorkerProgram(const QString& path) { workerProgram_ = path; }
    /// Instead of the user's cache folder.
    void setFolder(const QString& path) { folder_ = path; }
    /// The panel's page: PDF where the name says so, else Markdown. Then written or failed.
    void savePage(const QString& path);

  signals:
    void runningChanged();
    /// A study of the lesson was saved there, to be opened.
    void studySaved(const QString& path);
    void written(const QString& path);
    void failed(const QString& error);

  private:
    void run(std::vector<LessonRun> runs);
    void saveStudyOf(const std::shared_ptr<const Study>& study);

    LearnPanel* panel_;
    QString workerProgram_, folder_;
    bool running_ = false, busy_ = false;
    BackgroundJob job_, saveJob_;
};

}  // namespace mmapscope
