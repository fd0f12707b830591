// `mmapscope-cli serve`: one study for `run --host`, on the machine that has the file. Everything is decided,
// prepared and measured here; only what came of it goes over.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>

#include "app/cli/cli.h"
#include "app/cli/host_frames.h"
#include "run/frames.h"
#include "run/record_json.h"

namespace mmapscope::cli {
namespace {

/// Each costs the connection's cipher some CPU beside what is measured.
constexpr auto kProgressPeriod = std::chrono::seconds(1);

/// The requests, and the end of the connection: whoever asked is gone then, and the study stops.
class Input {
  public:
    Result<std::string> request() {
        for (;;) {
            auto frame = reader_.next();
            if (!frame) {
                return tl::unexpected(frame.error());
            }
            if (*frame && (*frame)->type == FrameType::request) {
                return std::move((*frame)->payload);
            }
            if (*frame) {
                return fail(ErrorKind::failed, "a request was expected");
            }
            if (!read()) {
                return fail(ErrorKind::failed, "the connection ended before a request");
            }
        }
    }
    /// Until the other side ends, asks to stop, or `over`.
    void watch(std::stop_source& stop, const std::atomic<bool>& over) {
        while (!over) {
            pollfd in{STDIN_FILENO, POLLIN, 0};
            if (::poll(&in, 1, 200) > 0 && !read()) {
                break;
            }
            const auto frame = reader_.next();
            if (!frame || (*frame && (*frame)->type == FrameType::stop)) {
                break;
            }
        }
        stop.request_stop();
    }

  private:
    bool read() {
        char bytes[4096];
        ssize_t got = 0;
        do {
            got = ::read(STDIN_FILENO, bytes, sizeof bytes);
        } while (got < 0 && errno == EINTR);
        if (got > 0) {
            reader_.feed({bytes, static_cast<std::size_t>(got)});
        }
        return got > 0;
    }
    FrameReader reader_;
};

/// A frame that can't be written is noticed by whoever watches the input.
void say(FrameType type, const std::string& payload) {
    static_cast<void>(writeFrame(STDOUT_FILENO, type, payload));
}

Exit refuse(const Error& error) {
    say(FrameType::refusal, errorToJson(error));
    return report(error);
}

Exit serve() {
    if (::isatty(STDIN_FILENO) != 0) {
        return report({ErrorKind::usage,
                       "serve is started by mmapscope-cli run --host over ssh; by hand it has "
                       "nothing to say"});
    }
    if (!writeAll(STDOUT_FILENO, fmt::format("\n{}", kServeMark))) {
        return Exit::runFailed;
    }
    say(FrameType::hello, encodeHello(ownHello()));
    Input input;
    const auto request = input.request();
    if (!request) {
        return refuse(request.error());
    }
    const auto options = optionsFromJson(*request);
    if (!options) {
        return refuse(options.error());
    }
    Chosen chosen;
    const auto study = studyRequest(*options, chosen);
    if (!study) {
        return refuse(study.error());
    }
    auto planned = planStudy(*study);
    if (!planned) {
        return refuse(planned.error());
    }
    say(FrameType::planned, plannedToJson(*planned, chosen));

    StudyEvents events;
    auto next = std::chrono::steady_clock::time_point{};
    events.progress = [&](const Progress& progress) {
        if (const auto now = std::chrono::steady_clock::now(); now >= next) {
            next = now + kProgressPeriod;
            say(FrameType::progress, progressToJson(progress));
        }
    };
    events.runEnded = [](const Study& now) { say(FrameType::record, runRecordToText(now.runs.back())); };
    std::stop_source stop;
    std::atomic<bool> over = false;
    std::jthread watcher([&] { input.watch(stop, over); });
    const std::stop_callback onSignal(stopToken(), [&] { stop.request_stop(); });
    const Study done = runStudy(std::move(*planned), *study, events, stop.get_token());
    say(FrameType::done, plannedToJson(done, chosen));
    over = true;
    return Exit::done;
}

}  // namespace

void addServe(CLI::App& app, Exit& exit) {
    auto* command = app.add_subcommand("serve", "Measure for `run --host` on another machine (over ssh)");
    command->group("");  // nothing to call by hand
    command->callback([&exit] { exit = serve(); });
}

}  // namespace mmapscope::cli
