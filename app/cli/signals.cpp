#include "app/cli/signals.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "app/cli/cli.h"

namespace mmapscope::cli {
namespace {

std::stop_source& stopSource() {
    static std::stop_source source;
    return source;
}

sigset_t watched() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        sigaddset(&set, number);
    }
    return set;
}

}  // namespace

std::stop_token stopToken() {
    return stopSource().get_token();
}

SignalWatch::SignalWatch() {
    stopSource();
    const sigset_t set = watched();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    // A closed reader of our output is an error of write(2), told in words.
    signal(SIGPIPE, SIG_IGN);
    // So is a file that may not grow any more (setrlimit(2), RLIMIT_FSIZE).
    signal(SIGXFSZ, SIG_IGN);
    thread_ = std::jthread([set](const std::stop_token& end) {
        bool asked = false;
        while (!end.stop_requested()) {
            const timespec patience{0, 100'000'000};
            if (sigtimedwait(&set, nullptr, &patience) < 0) {
                continue;
            }
            if (asked) {
                _exit(static_cast<int>(Exit::cancelled));
            }
            asked = true;
            stopSource().request_stop();
        }
    });
}

SignalWatch::~SignalWatch() = default;

}  // namespace mmapscope::cli
