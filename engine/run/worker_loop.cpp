#include "run/worker_loop.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>

#include "core/unique_fd.h"
#include "run/execute.h"
#include "run/frames.h"
#include "run/record_json.h"

namespace mmapscope {
namespace {

/// How often samples go out: the window draws no more often than that either.
constexpr int kForwardMs = 50;

/// One read into `reader`; false at the end of the stream.
Result<bool> readSome(int fd, FrameReader& reader) {
    std::array<char, 16384> bytes;
    for (;;) {
        const ssize_t n = ::read(fd, bytes.data(), bytes.size());
        if (n >= 0) {
            reader.feed({bytes.data(), static_cast<std::size_t>(n)});
            return n > 0;
        }
        if (errno != EINTR) {
            return failErrno(ErrorKind::failed, "reading from the other side", errno);
        }
    }
}

Result<RunRequest> awaitRequest(int in, FrameReader& reader) {
    for (;;) {
        const auto frame = reader.next();
        if (!frame) {
            return tl::unexpected(frame.error());
        }
        if (*frame) {
            if ((*frame)->type != FrameType::request) {
                return fail(ErrorKind::failed,
                            fmt::format("a request was expected, not {}", name((*frame)->type)));
            }
            const auto json = parseJson((*frame)->payload);
            return json ? runRequestFromJson(*json) : tl::unexpected(json.error());
        }
        const auto more = readSome(in, reader);
        if (!more) {
            return tl::unexpected(more.error());
        }
        if (!*more) {
            return fail(ErrorKind::failed, reader.midFrame() ? "the stream ended inside a request"
                                                             : "the stream ended before a request");
        }
    }
}

Nanoseconds threadCpu() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return std::chrono::seconds(t.tv_sec) + Nanoseconds(t.tv_nsec);
}

/// The run on a thread of its own, while this one looks after the stream.
class Serving {
  public:
    Serving(int in, int out, FrameReader& reader)
        : in_(in), out_(out), reader_(reader), done_(::eventfd(0, EFD_CLOEXEC)) {}

    Status run(const RunRequest& request) {
        if (!done_) {
            return failErrno(ErrorKind::failed, "eventfd", errno);
        }
        RunRecord record;
        std::thread runner([&] {
            record = executeRun(request, &ring_, stop_.get_token());
            ended_.store(true);
            const std::uint64_t one = 1;
            [[maybe_unused]] const ssize_t n = ::write(done_.get(), &one, sizeof one);
        });
        const Nanoseconds before = threadCpu();
        while (!ended_.load()) {
            turn();
        }
        const Nanoseconds observing = threadCpu() - before;
        runner.join();
        forward();
        if (!lost_) {
            return lost_;
        }
        if (record.wall.count() > 0) {
            record.sampling.costFraction += std::chrono::duration<double>(observing) / record.wall;
        }
        return writeFrame(out_, FrameType::record, runRecordToText(record));
    }

  private:
    void turn() {
        std::array<pollfd, 2> ready{pollfd{done_.get(), POLLIN, 0}, pollfd{listening_ ? in_ : -1, POLLIN, 0}};
        const int n = ::poll(ready.data(), ready.size(), kForwardMs);
        if (n > 0 && ready[1].revents != 0) {
            listen();
        }
        forward();
    }

    /// Whatever else comes than a stop, the run must not go on for nobody.
    void listen() {
        const auto more = readSome(in_, reader_);
        if (!more || !*more) {
            listening_ = false;
        }
        stop_.request_stop();
    }

    void forward() {
        std::array<Sample, 64> batch;
        while (const std::size_t n = ring_.pop(batch)) {
            if (const auto sent = writeSamples(out_, std::span(batch).first(n)); !sent && lost_) {
                lost_ = sent;
                stop_.request_stop();
            }
        }
    }

    int in_;
    int out_;
    FrameReader& reader_;
    UniqueFd done_;
    SampleRing ring_;
    std::stop_source stop_;
    std::atomic<bool> ended_{false};
    bool listening_ = true;
    Status lost_;
};

}  // namespace

Status serveOneRun(int in, int out) {
    if (auto said = writeFrame(out, FrameType::hello, encodeHello(ownHello())); !said) {
        return said;
    }
    FrameReader reader;
    const auto request = awaitRequest(in, reader);
    if (!request) {
        // The line is returned as well; who can't read the frame may read that.
        (void)writeFrame(out, FrameType::error,
                         request.error().message.substr(0, mostPayload(FrameType::error)));
        return tl::unexpected(request.error());
    }
    return Serving(in, out, reader).run(*request);
}

}  // namespace mmapscope
