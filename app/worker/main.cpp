// mmapscope-worker: runs one arm for mmapscope or mmapscope-cli, which start it and talk to it over its
// standard input and output (engine/run/frames.h).
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "host/serve.h"
#include "run/memory_cap.h"
#include "run/worker_loop.h"

namespace {

constexpr std::string_view kParentOption = "--parent=";
/// Waits for the end of standard input, then removes a study's home of control groups: so that nothing is
/// left when both the study and its workers were killed.
constexpr std::string_view kReapOption = "--reap=";
/// Answers `--host` of another machine, over ssh, and starts workers of its own.
constexpr std::string_view kServeOption = "--serve";

/// The worker dies with the thread that started it. That thread may be gone before prctl(2): then the parent
/// is no longer who it should be.
bool parentIsAlive(std::optional<pid_t> parent) {
    if (!parent) {
        return true;  // started by hand or by ssh: the end of standard input is what ends it
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return getppid() == *parent;
}

std::optional<pid_t> parentOf(std::string_view argument) {
    pid_t pid = 0;
    const std::string_view digits = argument.substr(kParentOption.size());
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), pid);
    return error == std::errc() && end == digits.data() + digits.size() && pid > 0 ? std::optional(pid)
                                                                                   : std::nullopt;
}

int serve() {
    std::error_code error;
    const auto own = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) {
        std::fprintf(stderr, "mmapscope-worker: its own program isn't found: %s\n", error.message().c_str());
        return 1;
    }
    mmapscope::serveHost(STDIN_FILENO, STDOUT_FILENO, own.string());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    std::optional<pid_t> parent;
    const std::string_view argument = argc > 1 ? argv[1] : "";
    if (argument == "--version") {
        std::puts("mmapscope-worker " MMAPSCOPE_VERSION);
        return 0;
    }
    if (argc == 2 && argument.starts_with(kReapOption) && isatty(STDIN_FILENO) == 0) {
        return mmapscope::reapHome(std::string(argument.substr(kReapOption.size()))) == 0 ? 0 : 1;
    }
    if (argc == 2 && argument == kServeOption && isatty(STDIN_FILENO) == 0) {
        return serve();
    }
    if (argument.starts_with(kParentOption)) {
        parent = parentOf(argument);
    }
    if (argc > 2 || (argc == 2 && !parent) || isatty(STDIN_FILENO) != 0) {
        std::fputs(
            "mmapscope-worker: started by mmapscope and mmapscope-cli to run one arm; by itself it knows "
            "only "
            "--version\n",
            stderr);
        return 2;
    }
    if (!parentIsAlive(parent)) {
        return 1;
    }
    if (const auto served = mmapscope::serveOneRun(STDIN_FILENO, STDOUT_FILENO); !served) {
        std::fprintf(stderr, "mmapscope-worker: %s\n", served.error().message.c_str());
        return 1;
    }
    return 0;
}
