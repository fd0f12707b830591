#include "app/gui/study_controller.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <iterator>

#include "report/study_file.h"
#include "run/worker_client.h"
#include "study/statistics.h"
#include "study/study_files.h"
#include "study/sweep_points.h"

namespace mmapscope {
namespace {

/// The window is woken no more often than this by a running study: each wake costs the arms.
constexpr std::chrono::milliseconds kDrainPeriod{100};
/// A window that hangs must not make the study's thread pile up memory.
constexpr std::size_t kMaxWaitingSamples = 1U << 16U;

bool sameRun(const Progress& a, const Progress& b) {
    return a.stage == b.stage && a.phase == b.phase && a.arm == b.arm && a.round == b.round;
}

/// What a summary needs of a study, without its samples and stamps.
Study withoutSamples(const Study& study) {
    Study light;
    light.environment = study.environment;
    light.plan = study.plan;
    light.arms = study.arms;
    light.sweep = study.sweep;
    light.runs.reserve(study.runs.size());
    for (const RunRecord& run : study.runs) {
        RunRecord record = run;
        record.sampling.samples = {};
        record.stamps = {};
        light.runs.push_back(std::move(record));
    }
    return light;
}

/// Against another baseline. Warnings that a summary doesn't find by itself (of taking times apart, say)
/// stay.
void summarizeAgainst(Study& study, std::uint32_t baseline) {
    Study before = withoutSamples(study);
    summarize(before);
    std::vector<std::string> others;
    std::copy_if(study.warnings.begin(), study.warnings.end(), std::back_inserter(others),
                 [&](const std::string& warning) {
                     return std::find(before.warnings.begin(), before.warnings.end(), warning) ==
                            before.warnings.end();
                 });
    study.plan.baseline = baseline;
    summarize(study);
    study.warnings.insert(study.warnings.end(), others.begin(), others.end());
}

}  // namespace

StudyController::StudyController(QObject* parent) : QObject(parent) {
    drainTimer_.setInterval(kDrainPeriod);
    connect(&drainTimer_, &QTimer::timeout, this, &StudyController::drain);
}

StudyController::~StudyController() = default;

void StudyController::start(StudyRequest request, const QString& autosave) {
    begin({Kind::study, SweepRequest{std::move(request), {}, 0}, nullptr, autosave.toStdString()});
}

void StudyController::start(SweepRequest request, const QString& autosave) {
    begin({Kind::sweep, std::move(request), nullptr, autosave.toStdString()});
}

bool StudyController::resumable() const {
    return !running_ && study_ != nullptr && study_->sweep && !study_->sweep->complete &&
           !savePath_.isEmpty();
}

void StudyController::resume() {
    if (resumable()) {
        begin({Kind::resumedSweep, {}, study_, savePath_.toStdString()});
    }
}

void StudyController::begin(Order order) {
    if (running_) {
        return;
    }
    job_.cancel();
    running_ = true;
    saveErrorShown_ = false;
    last_.reset();
    {
        const std::scoped_lock lock(mutex_);
        events_.clear();
    }
    savePath_ = QString::fromStdString(order.autosave);
    baseline_ = order.resumed ? order.resumed->plan.baseline
                              : static_cast<std::uint32_t>(order.request.study.baseline);
    drainTimer_.start();
    thread_ =
        std::jthread([this, order = std::move(order)](const std::stop_token& stop) { work(order, stop); });
}

void StudyController::stop() {
    thread_.request_stop();
}

// On the study's thread.
Result<Study> StudyController::planOf(Order& order) {
    StudyRequest& request = order.request.study;
    if (request.isolation == Isolation::worker && request.workerProgram.empty()) {
        auto program = findWorkerProgram();
        if (!program) {
            return tl::unexpected(program.error());
        }
        request.workerProgram = std::move(*program);
    }
    switch (order.kind) {
        case Kind::study:
            return planStudy(request);
        case Kind::sweep:
            return planSweep(order.request);
        case Kind::resumedSweep:
            break;
    }
    auto again = resumeRequest(*order.resumed, request.workerProgram);
    if (!again) {
        return tl::unexpected(again.error());
    }
    order.request = std::move(*again);
    Study sweep = *order.resumed;
    dropUnfinished(sweep);
    return sweep;
}

void StudyController::work(Order order, std::stop_token stop) {
    auto study = planOf(order);
    if (!study) {
        return push(Failed{study.error()});
    }
    const bool sweeps = order.kind != Kind::study;
    const SweepRequest& whole = order.request;
    const StudyRequest& request = whole.study;
    const std::string& autosave = order.autosave;
    push(Planned{*study});
    QDir().mkpath(QFileInfo(QString::fromStdString(autosave)).absolutePath());

    StudyEvents events;
    events.progress = [this](const Progress& progress) { push(progress); };
    events.samples = [this](std::uint32_t arm, std::span<const Sample> samples) {
        pushSamples(arm, samples);
    };
    events.runEnded = [&](const Study& now) {
        RunEnd end{now.runs.back(), now.summary, now.warnings, now.plan.baseline, {}};
        if (const std::uint32_t wanted = baseline_; wanted != now.plan.baseline) {
            Study other = withoutSamples(now);
            other.plan.baseline = wanted;
            summarize(other);
            end.summary = other.summary;
            end.warnings = other.warnings;
            end.baseline = wanted;
        }
        if (const Status status = saveStudy(now, autosave); !status) {
            end.saveError = status.error().message;
        }
        push(std::move(end));
    };
    // What can't be saved was told at the run's end, and will be at the study's.
    events.roundsDone = [&](const Study& now) { static_cast<void>(saveStudy(now, autosave)); };
    Study done = sweeps ? runSweep(std::move(*study), whole, events, stop)
                        : runStudy(std::move(*study), request, events, stop);
    if (const std::uint32_t wanted = baseline_; wanted != done.plan.baseline) {
        summarizeAgainst(done, wanted);
    }
    if (!done.runs.empty()) {
        const Status status = saveStudy(done, autosave);
        const QString told = QString::fromStdString(status ? autosave : status.error().message);
        const bool kept = status.has_value();
        QMetaObject::invokeMethod(
            this, [this, kept, told] { kept ? emit saved(told) : tellUnsaved(told); }, Qt::QueuedConnection);
    }
    push(Finished{std::move(done)});
}

void StudyController::push(Event event) {
    const bool last = std::holds_alternative<Finished>(event) || std::holds_alternative<Failed>(event);
    {
        const std::scoped_lock lock(mutex_);
        auto* progress = std::get_if<Progress>(&event);
        auto* before = events_.empty() ? nullptr : std::get_if<Progress>(&events_.back());
        if (progress != nullptr && before != nullptr && sameRun(*progress, *before)) {
            *before = *progress;
        } else {
            events_.push_back(std::move(event));
        }
    }
    if (last) {
        QMetaObject::invokeMethod(this, &StudyController::drain, Qt::QueuedConnection);
    }
}

void StudyController::pushSamples(std::uint32_t arm, std::span<const Sample> samples) {
    const std::scoped_lock lock(mutex_);
    auto* before = events_.empty() ? nullptr : std::get_if<Samples>(&events_.back());
    if (before == nullptr || before->arm != arm) {
        events_.emplace_back(Samples{arm, {}});
        before = &std::get<Samples>(events_.back());
    }
    if (before->samples.size() + samples.size() <= kMaxWaitingSamples) {
        before->samples.insert(before->samples.end(), samples.begin(), samples.end());
    }
}

void StudyController::drain() {
    std::vector<Event> events;
    {
        const std::scoped_lock lock(mutex_);
        events.swap(events_);
    }
    for (Event& event : events) {
        std::visit([this](auto& each) { handle(each); }, event);
    }
}

void StudyController::handle(Progress& progress) {
    if (progress.stage == StudyStage::running && (!last_ || !sameRun(*last_, progress))) {
        emit runStarted(progress.arm, progress.phase, progress.round);
    }
    last_ = progress;
    emit progressed(progress);
}

void StudyController::handle(Samples& samples) {
    emit samplesArrived(samples.arm, samples.samples);
}

void StudyController::handle(RunEnd& end) {
    study_->runs.push_back(std::move(end.run));
    study_->summary = std::move(end.summary);
    study_->warnings = std::move(end.warnings);
    study_->plan.baseline = end.baseline;
    last_.reset();
    emit runEnded();
    if (!end.saveError.empty()) {
        tellUnsaved(QString::fromStdString(end.saveError));
    }
}

void StudyController::tellUnsaved(const QString& error) {
    if (!saveErrorShown_) {
        saveErrorShown_ = true;
        emit failed(tr("The study can't be saved as it runs: %1").arg(error));
    }
}

void StudyController::handle(Planned& plannedStudy) {
    study_ = std::make_shared<Study>(std::move(plannedStudy.study));
    emit planned();
}

void StudyController::handle(Finished& end) {
    study_ = std::make_shared<Study>(std::move(end.study));
    running_ = false;
    drainTimer_.stop();
    emit finished();
}

void StudyController::handle(Failed& failure) {
    running_ = false;
    drainTimer_.stop();
    emit failed(QString::fromStdString(failure.error.message));
    emit finished();
}

void StudyController::setBaseline(std::uint32_t arm) {
    if (study_ == nullptr || arm >= study_->arms.size()) {
        return;
    }
    baseline_ = arm;
    if (running_) {
        return;  // the study's thread takes it with the next run that ends
    }
    job_.start(
        [study = study_, arm](BackgroundJob::Link&) {
            auto other = std::make_shared<Study>(*study);
            summarizeAgainst(*other, arm);
            if (other->sweep) {
                other->crossovers = findCrossovers(*other);
            }
            return other;
        },
        [this](std::shared_ptr<Study> other) {
            study_ = std::move(other);
            emit studyReplaced();
        });
}

void StudyController::open(const QString& path) {
    if (running_) {
        emit failed(tr("A study is running: stop it before opening another."));
        return;
    }
    job_.start([file = path.toStdString()](BackgroundJob::Link&) { return loadStudy(file); },
               [this, path](Result<Study> loaded) {
                   if (!loaded) {
                       emit failed(QString::fromStdString(loaded.error().message));
                       return;
                   }
                   study_ = std::make_shared<Study>(std::move(*loaded));
                   savePath_ = path;
                   emit studyReplaced();
                   emit saved(path);
               });
}

void StudyController::forget() {
    if (!running_) {
        job_.cancel();
        study_.reset();
        savePath_.clear();
    }
}

void StudyController::save(const QString& path) {
    if (running_ || study_ == nullptr) {
        return;
    }
    saveJob_.start(
        [study = study_, file = path.toStdString()](BackgroundJob::Link&) {
            const Status keeps = checkKeepsRead(file, *study);
            return keeps ? saveStudy(*study, file) : keeps;
        },
        [this, path](const Status& status) {
            if (status) {
                emit saved(path);
            } else {
                emit failed(QString::fromStdString(status.error().message));
            }
        });
}

}  // namespace mmapscope
