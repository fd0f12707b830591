#include "run/worker_client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <new>
#include <optional>
#include <vector>

#include "core/text.h"
#include "probe/system_facts.h"
#include "run/frames.h"
#include "run/record_json.h"
#include "run/worker_process.h"

namespace mmapscope {
namespace {

using Clock = std::chrono::steady_clock;

/// Between a stop request and SIGKILL.
constexpr auto kStopPatience = std::chrono::milliseconds(50);
/// After its record a worker only has to end.
constexpr int kEndPatienceMs = 2000;
/// Of what it printed to standard error, the end is kept.
constexpr std::size_t kErrorTail = 1024;

Nanoseconds threadCpu() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return std::chrono::seconds(t.tv_sec) + Nanoseconds(t.tv_nsec);
}

/// "State:" of /proc/PID/status (proc(5)): its letter, or 0.
char stateOf(pid_t pid) {
    const auto text = readKernelText(fmt::format("/proc/{}/status", pid));
    const std::size_t at = text ? text->find("State:\t") : std::string::npos;
    return at == std::string::npos || at + 7 >= text->size() ? '\0' : (*text)[at + 7];
}

std::string silenceOf(pid_t pid, char state, Nanoseconds since) {
    const std::string what =
        fmt::format("the worker ({}) has said nothing for {}", pid, formatDuration(since));
    switch (state) {
        case 'T':
            return fmt::format("{}: a signal stopped it; `kill -CONT {}` lets it go on", what, pid);
        case 't':
            return what + ": a debugger stopped it";
        case 'D':
            return what + ": it waits for the storage or the kernel (state D)";
        case 'Z':
        case 'X':
            return what + ": it has ended";
        case 'R':
            return what + ": it runs, or waits for a CPU (state R)";
        case 'S':
        case 'I':
            return what + ": it sleeps (state S)";
        default:
            return what;
    }
}

/// Makes a stop request wake up poll(2).
class StopWake {
  public:
    explicit StopWake(const std::stop_token& stop)
        : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), callback_(stop, Notify{fd_.get()}) {}
    [[nodiscard]] int fd() const { return fd_.get(); }

  private:
    struct Notify {
        int fd;
        void operator()() const noexcept {
            const std::uint64_t one = 1;
            [[maybe_unused]] const ssize_t n = ::write(fd, &one, sizeof one);
        }
    };
    UniqueFd fd_;
    std::stop_callback<Notify> callback_;
};

class Conversation {
  public:
    Conversation(WorkerProcess& worker, const RunRequest& request, const RunWatch& watch,
                 std::stop_token stop)
        : worker_(worker), request_(request), watch_(watch), stop_(std::move(stop)), wake_(stop_) {}

    Result<RunRecord> run() {
        // The worker must be able to end while this side has not read everything.
        ::fcntl(worker_.output(), F_SETFL, O_NONBLOCK);
        ::fcntl(worker_.errors(), F_SETFL, O_NONBLOCK);
        deadline_ = Clock::now() + watch_.helloPatience;
        lastWord_ = nextLook_ = Clock::now();
        nextLook_ += watch_.silentAfter;
        while (!record_ && outputOpen_) {
            if (const auto turned = turn(); !turned) {
                return tl::unexpected(turned.error());
            }
        }
        if (record_) {
            return std::move(*record_);
        }
        return tl::unexpected(lost());
    }

  private:
    Status turn() {
        if (stop_.stop_requested() && !stopSent_) {
            stopSent_ = true;
            deadline_ = Clock::now() + kStopPatience;
            // A worker that is gone or stuck can't take it; the deadline deals with both.
            if (pollfd room{worker_.input(), POLLOUT, 0}; ::poll(&room, 1, 0) == 1) {
                (void)writeFrame(worker_.input(), FrameType::stop, {});
            }
        }
        std::array<pollfd, 3> ready{pollfd{worker_.output(), POLLIN, 0},
                                    pollfd{errorsOpen_ ? worker_.errors() : -1, POLLIN, 0},
                                    pollfd{stopSent_ ? -1 : wake_.fd(), POLLIN, 0}};
        const int n = ::poll(ready.data(), ready.size(), patience());
        if (n < 0 && errno != EINTR) {
            return failErrno(ErrorKind::failed, "waiting for the worker", errno);
        }
        if (ready[1].revents != 0) {
            readErrors();
        }
        if (ready[0].revents != 0) {
            return readOutput();
        }
        if (deadline_ && Clock::now() >= *deadline_) {
            if (!stopSent_ && isStopped()) {
                // It can't say hello, and is no other program for that.
                tellSilence(stateOf(worker_.pid()));
                deadline_ = Clock::now() + watch_.silentAfter;
                return {};
            }
            worker_.kill();
            if (stopSent_) {
                return cancelled();
            }
            return fail(ErrorKind::unavailable,
                        fmt::format("the worker program started and said nothing for {}: is it really "
                                    "mmapscope-worker? Install the one of this version beside this program",
                                    formatDuration(watch_.helloPatience)));
        }
        lookAtSilence();
        return {};
    }

    void lookAtSilence() {
        const auto now = Clock::now();
        if (!watch_.silence || !greeted_ || now < nextLook_) {
            return;
        }
        nextLook_ = now + watch_.silentAfter;
        const char state = stateOf(worker_.pid());
        if (request_.sampling || state == 'T' || state == 't') {
            tellSilence(state);
        }
    }

    [[nodiscard]] bool isStopped() const {
        const char state = stateOf(worker_.pid());
        return state == 'T' || state == 't';
    }

    void tellSilence(char state) {
        if (watch_.silence) {
            saidSilent_ = true;
            watch_.silence(silenceOf(worker_.pid(), state, Clock::now() - lastWord_));
        }
    }

    void heard() {
        lastWord_ = Clock::now();
        nextLook_ = lastWord_ + watch_.silentAfter;
        if (saidSilent_) {
            saidSilent_ = false;
            watch_.silence({});
        }
    }

    [[nodiscard]] int patience() const {
        auto until = deadline_;
        if (watch_.silence && (!until || nextLook_ < *until)) {
            until = nextLook_;
        }
        if (!until) {
            return -1;
        }
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - Clock::now()).count();
        return static_cast<int>(std::max<std::int64_t>(left, 0));
    }

    Status readOutput() {
        const ssize_t n = ::read(worker_.output(), bytes_.data(), bytes_.size());
        if (n > 0) {
            heard();
            reader_.feed({bytes_.data(), static_cast<std::size_t>(n)});
        } else if (n == 0) {
            outputOpen_ = false;
            return {};
        } else if (errno == EAGAIN || errno == EINTR) {
            return {};
        } else {
            return failErrno(ErrorKind::failed, "reading from the worker", errno);
        }
        for (;;) {
            const auto frame = reader_.next();
            if (!frame) {
                return tl::unexpected(frame.error());
            }
            if (!*frame) {
                return {};
            }
            if (const auto taken = take(**frame); !taken) {
                return taken;
            }
        }
    }

    Status take(const Frame& frame) {
        if ((frame.type == FrameType::hello) == greeted_) {
            return fail(ErrorKind::failed,
                        fmt::format("the worker sent {} when it was not its turn", name(frame.type)));
        }
        switch (frame.type) {
            case FrameType::hello:
                return greet(frame.payload);
            case FrameType::samples:
                return takeSamples(frame.payload);
            case FrameType::record:
                return takeRecord(frame.payload);
            case FrameType::error:
                return fail(ErrorKind::failed, "the worker says: " + printable(frame.payload));
            default:
                break;
        }
        return fail(ErrorKind::failed, fmt::format("the worker sent a {} frame", name(frame.type)));
    }

    Status greet(std::string_view payload) {
        const auto hello = decodeHello(payload);
        if (!hello) {
            return tl::unexpected(hello.error());
        }
        if (auto fits = checkHello(*hello, ownHello()); !fits) {
            return fits;
        }
        greeted_ = true;
        if (!stopSent_) {
            deadline_.reset();
        }
        const std::string encoded = dumpJson(toJson(request_));
        cpuAtStart_ = threadCpu();
        // A worker that is gone can't take it: the end of its output and its exit status will say why.
        (void)writeFrame(worker_.input(), FrameType::request, encoded);
        return {};
    }

    Status takeSamples(std::string_view payload) {
        const auto samples = decodeSamples(payload);
        if (!samples) {
            return tl::unexpected(samples.error());
        }
        if (watch_.samples && !samples->empty()) {
            // What the caller does with them is the caller's to account for.
            const Nanoseconds before = threadCpu();
            watch_.samples(*samples);
            inSink_ += threadCpu() - before;
        }
        return {};
    }

    Status takeRecord(std::string_view payload) {
        const Nanoseconds observing = threadCpu() - cpuAtStart_ - inSink_;
        auto record = runRecordFromText(payload, "the worker's record");
        if (!record) {
            return tl::unexpected(record.error());
        }
        record_ = std::move(*record);
        if (record_->wall.count() > 0) {
            record_->sampling.costFraction += std::chrono::duration<double>(observing) / record_->wall;
        }
        return {};
    }

    void readErrors() {
        std::array<char, 4096> bytes;
        const ssize_t n = ::read(worker_.errors(), bytes.data(), bytes.size());
        if (n > 0) {
            printed_.append(bytes.data(), static_cast<std::size_t>(n));
            if (printed_.size() > kErrorTail) {
                printed_.erase(0, printed_.size() - kErrorTail);
            }
        } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
            errorsOpen_ = false;
        }
    }

    /// Why the output ended without a record.
    Error lost() {
        if (stop_.stop_requested()) {
            return cancelled().value();
        }
        std::string how = worker_.end(kEndPatienceMs);
        if (watch_.whyKilled && how.starts_with("was killed")) {
            if (std::string why = watch_.whyKilled(); !why.empty()) {
                return {ErrorKind::failed, std::move(why)};
            }
        }
        while (errorsOpen_) {
            const std::size_t before = printed_.size();
            readErrors();
            if (printed_.size() == before) {
                break;
            }
        }
        std::string text = "the worker " + (how.empty() ? std::string("ended without a record") : how);
        if (reader_.midFrame()) {
            text += ", in the middle of a message";
        }
        while (!printed_.empty() && printed_.back() == '\n') {
            printed_.pop_back();
        }
        if (!printed_.empty()) {
            text += "; it printed: " + printable(printed_);
        }
        if (greeted_ || how.starts_with("was killed")) {
            return {ErrorKind::failed, text};
        }
        // One that ends well without having said what it is, is none, and no other try will do. A status may
        // tell of a want that passes.
        return {
            how.empty() ? ErrorKind::unavailable : ErrorKind::failed,
            text + "; is it really mmapscope-worker? Install the one of this version beside this program"};
    }

    WorkerProcess& worker_;
    const RunRequest& request_;
    const RunWatch& watch_;
    std::stop_token stop_;
    StopWake wake_;
    FrameReader reader_;
    std::vector<char> bytes_ = std::vector<char>(65536);  ///< not on the stack, which may be small
    std::optional<Clock::time_point> deadline_;
    Clock::time_point lastWord_, nextLook_;
    bool saidSilent_ = false;
    std::optional<RunRecord> record_;
    std::string printed_;
    Nanoseconds cpuAtStart_{0};
    Nanoseconds inSink_{0};
    bool greeted_ = false;
    bool stopSent_ = false;
    bool outputOpen_ = true;
    bool errorsOpen_ = true;
};

Result<RunRecord> converse(const std::string& program, const RunRequest& request, const RunWatch& watch,
                           std::stop_token stop) {
    if (stop.stop_requested()) {
        return cancelled();
    }
    std::vector<std::string> command = watch.launcher;
    command.push_back(program);
    command.push_back(fmt::format("--parent={}", getpid()));
    auto worker = WorkerProcess::start(command);
    if (!worker) {
        return tl::unexpected(worker.error());
    }
    if (watch.started) {
        if (auto under = watch.started(worker->pid()); !under) {
            return tl::unexpected(under.error());
        }
    }
    auto record = Conversation(*worker, request, watch, std::move(stop)).run();
    if (record) {
        if (watch.recorded) {
            watch.recorded();
        }
        worker->closeInput();
        // Its record is complete: how it ends afterwards changes nothing.
        (void)worker->end(kEndPatienceMs);
    }
    return record;
}

}  // namespace

bool isNoWorker(const RunRecord& record) {
    // What a worker says it lacks makes a record that is `unavailable`.
    return record.status == RunStatus::failed && record.errorKind == ErrorKind::unavailable;
}

RunRecord runInWorker(const std::string& workerProgram, const RunRequest& request, const RunWatch& watch,
                      std::stop_token stop) {
    Error error;
    try {
        auto record = converse(workerProgram, request, watch, std::move(stop));
        if (record) {
            return std::move(*record);
        }
        error = std::move(record.error());
    } catch (const std::bad_alloc&) {
        error = {ErrorKind::failed, "out of memory while talking to the worker"};
    } catch (const std::exception& e) {
        error = {ErrorKind::failed, fmt::format("unexpected: {}", e.what())};
    }
    RunRecord record;
    record.phase = request.phase;
    record.status = error.kind == ErrorKind::cancelled ? RunStatus::cancelled : RunStatus::failed;
    record.errorKind = error.kind;
    record.error = std::move(error.message);
    return record;
}

}  // namespace mmapscope
