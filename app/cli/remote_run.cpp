#include "app/cli/remote_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <sstream>

#include "app/cli/host_frames.h"
#include "core/text.h"
#include "run/frames.h"
#include "run/record_json.h"
#include "run/worker_process.h"
#include "study/statistics.h"

namespace mmapscope::cli {
namespace {

constexpr std::size_t kMostNoise = 64U << 10U;
constexpr std::size_t kMostErrors = 8U << 10U;
constexpr int kPatienceMs = 5000;
constexpr int kPollMs = 100;

/// In single quotes for a POSIX shell.
std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) {
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return out + "'";
}

std::vector<std::string> sshCommand(const HostOptions& where) {
    const char* const own = std::getenv("MMAPSCOPE_SSH");
    std::istringstream words(own == nullptr || *own == '\0' ? "ssh" : own);
    std::vector<std::string> command;
    for (std::string word; words >> word;) {
        command.push_back(word);
    }
    // Nothing is asked for in a program that may run unattended; a dead connection is noticed.
    for (const char* option : {"-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "-o",
                               "ServerAliveInterval=10", "-o", "ServerAliveCountMax=3", "--"}) {
        command.emplace_back(option);
    }
    command.push_back(where.host);
    command.push_back(quoted(where.program) + " serve");
    return command;
}

/// The last line that says something.
std::string lastLine(std::string_view text) {
    std::string last;
    while (!text.empty()) {
        const auto end = std::min(text.find_first_of("\r\n"), text.size());
        if (const auto line = text.substr(0, end); line.find_first_not_of(" \t") != std::string_view::npos) {
            last = printable(line);
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return last;
}

std::string firstLine(std::string_view text) {
    const auto from = text.find_first_not_of(" \t\r\n");
    return from == std::string_view::npos
               ? std::string()
               : printable(text.substr(from, std::min<std::size_t>(text.find('\n', from) - from, 120)));
}

class Session {
  public:
    Session(const HostOptions& where, const std::function<void(const Study&, const Chosen&)>& planned,
            const StudyEvents& events)
        : where_(where), onPlanned_(planned), events_(events) {}

    Result<RemoteStudy> go(const RunOptions& options, const std::stop_token& stop) {
        auto process = WorkerProcess::start(sshCommand(where_));
        if (!process) {
            return fail(ErrorKind::unavailable, "ssh can't be started: " + process.error().message);
        }
        for (const int fd : {process->output(), process->errors()}) {
            ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
        }
        bool stopAsked = false;
        bool outputOpen = true;
        while (outputOpen && !over_) {
            pollfd ends[] = {{process->output(), POLLIN, 0}, {process->errors(), POLLIN, 0}};
            ::poll(ends, errorsOpen_ ? 2 : 1, kPollMs);
            errorsOpen_ = errorsOpen_ && readErrors(process->errors());
            outputOpen = readOutput(process->output());
            if (const Status taken = take(options, *process); !taken) {
                return ended(*process, taken.error());
            }
            if (stop.stop_requested() && !stopAsked) {
                stopAsked = true;
                if (!started_ || !writeFrame(process->input(), FrameType::stop, {})) {
                    break;
                }
            }
        }
        if (stop.stop_requested() && !planned_) {
            process->kill();
            return fail(ErrorKind::cancelled, "stopped before anything was measured");
        }
        if (over_) {
            process->closeInput();
            static_cast<void>(process->end(kPatienceMs));
            return std::move(remote_);
        }
        return ended(*process, std::nullopt);
    }

  private:
    /// false: at its end.
    bool readErrors(int fd) {
        char bytes[4096];
        ssize_t got = 0;
        while ((got = ::read(fd, bytes, sizeof bytes)) > 0) {
            said_.append(bytes, static_cast<std::size_t>(got));
            if (said_.size() > kMostErrors) {
                said_.erase(0, said_.size() - kMostErrors);
            }
        }
        return got < 0 && (errno == EAGAIN || errno == EINTR);
    }

    bool readOutput(int fd) {
        char bytes[16384];
        ssize_t got = 0;
        while ((got = ::read(fd, bytes, sizeof bytes)) > 0) {
            if (marked_) {
                frames_.feed({bytes, static_cast<std::size_t>(got)});
                continue;
            }
            noise_.append(bytes, static_cast<std::size_t>(got));
            if (const auto mark = noise_.find(kServeMark); mark != std::string::npos) {
                marked_ = true;
                const std::string_view rest = std::string_view(noise_).substr(mark + kServeMark.size());
                frames_.feed({rest.data(), rest.size()});
            } else if (noise_.size() > kMostNoise) {
                return false;
            }
        }
        return got < 0 && (errno == EAGAIN || errno == EINTR);
    }

    Status take(const RunOptions& options, const WorkerProcess& process) {
        for (;;) {
            auto frame = frames_.next();
            if (!frame) {
                return tl::unexpected(frame.error());
            }
            if (!*frame) {
                return {};
            }
            if (Status taken = take((*frame)->type, (*frame)->payload, options, process); !taken) {
                return taken;
            }
        }
    }

    Status take(FrameType type, const std::string& payload, const RunOptions& options,
                const WorkerProcess& process) {
        switch (type) {
            case FrameType::hello: {
                const auto hello = decodeHello(payload);
                if (!hello) {
                    return tl::unexpected(hello.error());
                }
                if (const Status fits = checkHello(*hello, ownHello()); !fits) {
                    refused_ = true;
                    return fail(ErrorKind::unavailable,
                                fmt::format("{}: {}; install the same version on both", name(),
                                            fits.error().message));
                }
                started_ = true;
                return writeFrame(process.input(), FrameType::request, optionsToJson(options));
            }
            case FrameType::refusal: {
                refused_ = true;
                const Error error = errorFromJson(payload);
                return fail(error.kind, fmt::format("{}: {}", name(), printable(error.message)));
            }
            case FrameType::planned:
                return plan(payload);
            case FrameType::progress: {
                const auto progress = progressFromJson(payload);
                if (progress && planned_ && progress->arm < remote_.study.arms.size() && events_.progress) {
                    events_.progress(*progress);
                }
                return {};
            }
            case FrameType::record:
                return record(payload);
            case FrameType::done: {
                auto done = plannedFromJson(payload);
                if (!done) {
                    return tl::unexpected(done.error());
                }
                done->study.runs = std::move(remote_.study.runs);
                done->study.plan.host = where_.host;
                remote_.study = std::move(done->study);
                over_ = true;
                return {};
            }
            default:
                return fail(ErrorKind::failed, fmt::format("{}: it said what it never should", name()));
        }
    }

    Status plan(const std::string& payload) {
        auto planned = plannedFromJson(payload);
        if (!planned) {
            return tl::unexpected(planned.error());
        }
        remote_.study = std::move(planned->study);
        remote_.study.plan.host = where_.host;
        remote_.chosen = std::move(planned->chosen);
        planned_ = true;
        if (onPlanned_) {
            onPlanned_(remote_.study, remote_.chosen);
        }
        return {};
    }

    Status record(const std::string& payload) {
        auto run = runRecordFromText(payload, name() + "'s record");
        if (!run) {
            return tl::unexpected(run.error());
        }
        if (!planned_ || run->arm >= remote_.study.arms.size()) {
            return fail(ErrorKind::failed, fmt::format("{}: a record of no arm", name()));
        }
        remote_.study.runs.push_back(std::move(*run));
        summarize(remote_.study);
        if (events_.runEnded) {
            events_.runEnded(remote_.study);
        }
        return {};
    }

    /// It ended before it was done: what can be said of that, and what is kept.
    Result<RemoteStudy> ended(WorkerProcess& process, const std::optional<Error>& error) {
        process.closeInput();
        const std::string how = error ? std::string() : process.end(kPatienceMs);
        static_cast<void>(readErrors(process.errors()));
        if (refused_) {
            return tl::unexpected(*error);
        }
        const std::string said = lastLine(said_);
        const std::string because = error           ? error->message
                                    : !said.empty() ? said
                                    : how.empty()   ? std::string("it ended")
                                                    : "ssh " + how;
        if (planned_) {
            remote_.lost = fmt::format("{} was lost after {} runs ({}); what was measured until then is kept",
                                       name(), remote_.study.runs.size(), because);
            remote_.study.complete = false;
            summarize(remote_.study);
            remote_.study.warnings.push_back(remote_.lost);
            return std::move(remote_);
        }
        if (how == "ended with status 127" || how == "ended with status 126") {
            return fail(
                ErrorKind::unavailable,
                fmt::format("{} has no {} that can be run ({}); install mmapscope there, or say where it "
                            "is with --remote-program PATH",
                            name(), printable(where_.program), because));
        }
        if (how == "ended with status 255") {
            return fail(
                ErrorKind::unavailable,
                fmt::format("{} is not reached over ssh: {}; try `ssh {} true`, which must work without "
                            "asking for anything (keys, an agent, a known host)",
                            name(), because, printable(where_.host)));
        }
        const std::string noise = firstLine(noise_);
        return fail(
            ErrorKind::unavailable,
            fmt::format("{}: {} serve didn't answer ({}){}", name(), printable(where_.program), because,
                        noise.empty() ? "; is it the same version?"
                                      : fmt::format("; instead it printed \"{}\"", noise)));
    }

    [[nodiscard]] std::string name() const { return printable(where_.host); }

    const HostOptions& where_;
    const std::function<void(const Study&, const Chosen&)>& onPlanned_;
    const StudyEvents& events_;
    FrameReader frames_;
    std::string noise_, said_;
    RemoteStudy remote_;
    bool marked_ = false, started_ = false, planned_ = false, over_ = false, refused_ = false;
    bool errorsOpen_ = true;
};

}  // namespace

Result<RemoteStudy> runOnHost(const HostOptions& where, const RunOptions& options,
                              const std::function<void(const Study&, const Chosen&)>& planned,
                              const StudyEvents& events, const std::stop_token& stop) {
    if (where.host.empty() || where.host.front() == '-' ||
        where.host.find_first_of(" \t\r\n") != std::string::npos) {
        return fail(ErrorKind::usage,
                    fmt::format("--host {}: give a host as ssh takes it, such as user@server",
                                printable(where.host)));
    }
    return Session(where, planned, events).go(options, stop);
}

}  // namespace mmapscope::cli
