// Work that must not stall the window: done on a pool thread, its result delivered to the thread that asked.
#pragma once

#include <QCoreApplication>
#include <QObject>
#include <QThreadPool>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace mmapscope {

/// Holds at most one piece of work; starting another cancels the one before, whose result is then never
/// delivered. Lives on the thread that owns it (the window's); its destruction cancels and never waits.
class BackgroundJob {
  public:
    class Link;

    BackgroundJob() = default;
    ~BackgroundJob() { cancel(); }
    BackgroundJob(const BackgroundJob&) = delete;
    BackgroundJob& operator=(const BackgroundJob&) = delete;

    /// Calls `work(link)` on a pool thread, then `done(result)` on this one.
    template <class Work, class Done>
    void start(Work work, Done done);
    /// Asks the work to stop and forgets its result.
    void cancel();
    /// Asks the work to stop; its result still comes.
    void requestStop();
    [[nodiscard]] bool busy() const { return link_ != nullptr; }

  private:
    std::shared_ptr<Link> link_;
};

/// What the work has of its owner: the wish to stop, and a way to say something on the owner's thread.
class BackgroundJob::Link {
  public:
    [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }

    /// Runs `call` on the owner's thread, unless the job was cancelled.
    template <class Call>
    void post(Call call) {
        const std::scoped_lock lock(mutex_);
        if (receiver_ != nullptr) {
            QMetaObject::invokeMethod(receiver_.get(), std::move(call), Qt::QueuedConnection);
        }
    }

  private:
    friend class BackgroundJob;
    void cut() {
        stop_.request_stop();
        const std::scoped_lock lock(mutex_);
        QCoreApplication::removePostedEvents(receiver_.get());
        receiver_.reset();
    }
    /// The receiver may be inside a call posted to it, so it goes when that has returned.
    struct DeleteLater {
        void operator()(QObject* object) const { object->deleteLater(); }
    };

    std::stop_source stop_;
    std::mutex mutex_;
    std::unique_ptr<QObject, DeleteLater> receiver_{new QObject};
};

template <class Work, class Done>
void BackgroundJob::start(Work work, Done done) {
    cancel();
    link_ = std::make_shared<Link>();
    QThreadPool::globalInstance()->start(
        [this, link = link_, work = std::move(work), done = std::move(done)]() mutable {
            auto result = std::make_shared<std::optional<decltype(work(*link))>>(work(*link));
            link->post([this, result, done = std::move(done)]() mutable {
                link_.reset();  // `this` lives: cancel() in the destructor drops this call
                done(std::move(**result));
            });
        });
}

inline void BackgroundJob::cancel() {
    if (link_ != nullptr) {
        std::exchange(link_, nullptr)->cut();
    }
}

inline void BackgroundJob::requestStop() {
    if (link_ != nullptr) {
        link_->stop_.request_stop();
    }
}

}  // namespace mmapscope
