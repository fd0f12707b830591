// Runs a study on a thread of its own and tells the window, on the window's thread, what happens.
#pragma once

#include <QObject>
#include <QTimer>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <variant>
#include <vector>

#include "study/study_runner.h"
#include "study/sweep.h"
#include "widgets/background_job.h"

namespace mmapscope {

class StudyController : public QObject {
    Q_OBJECT
  public:
    explicit StudyController(QObject* parent = nullptr);
    /// Stops a running study and waits for it: at most about 100 ms.
    ~StudyController() override;

    [[nodiscard]] bool running() const { return running_; }
    /// The study on show: running, finished or opened; nullptr before the first. What a pointer leads to
    /// doesn't change once the study is no longer running.
    [[nodiscard]] std::shared_ptr<const Study> study() const { return study_; }

    /// Plans and runs; saved to `autosave` after every run. Does nothing while another runs.
    void start(StudyRequest request, const QString& autosave);
    /// The same for a sweep.
    void start(SweepRequest request, const QString& autosave);
    /// Goes on with the sweep on show, that was stopped, and saves it where it was saved before. Fails,
    /// naming what, when file, kernel or program are not what they were.
    void resume();
    /// Whether a sweep on show could be gone on with.
    [[nodiscard]] bool resumable() const;
    void stop();
    /// Ratios against another arm: summarized anew, also while the study runs.
    void setBaseline(std::uint32_t arm);
    /// Opens a saved study; refused while one runs.
    void open(const QString& path);
    void save(const QString& path);
    /// Where the running study is saved after every run; empty: none runs.
    [[nodiscard]] QString autosaving() const { return running_ ? savePath_ : QString(); }
    /// No study any more: the file on show is another one. What was measured is on disk.
    void forget();

  signals:
    void planned();
    void progressed(const mmapscope::Progress& progress);
    void runStarted(std::uint32_t arm, mmapscope::Phase phase, unsigned round);
    void samplesArrived(std::uint32_t arm, std::span<const mmapscope::Sample> samples);
    /// study()->runs.back() just ended; the summary is up to date.
    void runEnded();
    /// Complete or stopped: study() is final.
    void finished();
    /// study() was replaced by an opened one, or summarized against another baseline.
    void studyReplaced();
    void saved(const QString& path);
    /// One line, for people.
    void failed(const QString& error);

  private:
    struct Samples {
        std::uint32_t arm = 0;
        std::vector<Sample> samples;
    };
    struct RunEnd {
        RunRecord run;
        std::vector<ArmSummary> summary;
        std::vector<std::string> warnings;
        std::uint32_t baseline = 0;
        std::string saveError;
    };
    struct Planned {
        Study study;
    };
    struct Finished {
        Study study;
    };
    struct Failed {
        Error error;
    };
    using Event = std::variant<Progress, Samples, RunEnd, Planned, Finished, Failed>;

    enum class Kind { study, sweep, resumedSweep };
    /// Of a plain study only request.study counts; of a resumed sweep only its worker program.
    struct Order {
        Kind kind = Kind::study;
        SweepRequest request;
        std::shared_ptr<const Study> resumed;
        std::string autosave;
    };
    void begin(Order order);
    void work(Order order, std::stop_token stop);
    /// The plan to run, and for a resumed sweep the request it was made by.
    static Result<Study> planOf(Order& order);
    void push(Event event);
    void pushSamples(std::uint32_t arm, std::span<const Sample> samples);
    void drain();
    void handle(Progress& progress);
    void handle(Samples& samples);
    void handle(RunEnd& end);
    void handle(Planned& plannedStudy);
    void handle(Finished& end);
    void handle(Failed& failure);
    /// Once a study.
    void tellUnsaved(const QString& error);

    std::shared_ptr<Study> study_;
    bool running_ = false;
    bool saveErrorShown_ = false;
    QString savePath_;              ///< of the study on show; empty: nowhere yet
    std::optional<Progress> last_;  ///< tells where one run ends and the next begins
    QTimer drainTimer_;
    std::atomic<std::uint32_t> baseline_{0};
    std::mutex mutex_;
    std::vector<Event> events_;  ///< guarded by mutex_
    BackgroundJob job_;
    BackgroundJob saveJob_;
    std::jthread thread_;  ///< last: joined before anything it uses goes
};

}  // namespace mmapscope
