#include "run/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "core/text.h"

namespace mmapscope {
namespace {

struct Pipe {
    UniqueFd read, write;
};

/// Both ends above the standard streams, so that dup2 in the child can't close one that is still needed when
/// this program itself was started without them.
Result<Pipe> makePipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return failErrno(ErrorKind::failed, "making a pipe", errno);
    }
    Pipe pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
    for (UniqueFd* end : {&pipe.read, &pipe.write}) {
        if (end->get() <= STDERR_FILENO) {
            const int moved = ::fcntl(end->get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
            if (moved < 0) {
                return failErrno(ErrorKind::failed, "making a pipe", errno);
            }
            end->reset(moved);
        }
    }
    return pipe;
}

class SpawnActions {
  public:
    explicit SpawnActions(bool apart) {
        posix_spawn_file_actions_init(&actions_);
        posix_spawnattr_init(&attributes_);
        sigset_t none;
        sigemptyset(&none);
        posix_spawnattr_setsigmask(&attributes_, &none);
        sigset_t pipe;
        sigemptyset(&pipe);
        sigaddset(&pipe, SIGPIPE);
        posix_spawnattr_setsigdefault(&attributes_, &pipe);
        const int flags =
            POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (apart ? POSIX_SPAWN_SETPGROUP : 0);
        posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
    }
    ~SpawnActions() {
        posix_spawn_file_actions_destroy(&actions_);
        posix_spawnattr_destroy(&attributes_);
    }
    SpawnActions(const SpawnActions&) = delete;
    SpawnActions& operator=(const SpawnActions&) = delete;

    void duplicate(const UniqueFd& fd, int as) { posix_spawn_file_actions_adddup2(&actions_, fd.get(), as); }
    [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }
    [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

  private:
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

std::string describeSignal(int signal) {
    const char* const abbreviation = sigabbrev_np(signal);
    std::string text = fmt::format("was killed by signal {}", signal);
    if (abbreviation != nullptr) {
        text += fmt::format(" (SIG{})", abbreviation);
    }
    switch (signal) {
        case SIGKILL:
            return text + ": it ran out of memory (the kernel's log would say so), or someone killed it";
        case SIGTERM:
        case SIGINT:
        case SIGHUP:
            return text + ": someone ended it";
        default:
            return text + ": it crashed";
    }
}

/// posix_spawn(3) failed. Error: unavailable, when no try can ever work.
tl::unexpected<Error> cannotStart(const std::string& program, const StartedProgram& words, int errnum) {
    const std::string what = fmt::format("can't start {} {}", words.what, printable(program));
    switch (errnum) {
        case ENOENT:
        case ENOTDIR:
        case ENOEXEC:
        case EACCES:
        case EPERM:
        case EISDIR:
        case ELIBBAD:
            return fail(
                ErrorKind::unavailable,
                fmt::format("{}: {}; {}", what, std::generic_category().message(errnum), words.remedy));
        case EAGAIN:
            return fail(ErrorKind::failed,
                        fmt::format("{}: {}; end other processes, or raise the limits on their number "
                                    "(ulimit -u, pids.max of the control group)",
                                    what, std::generic_category().message(errnum)));
        default:
            return failErrno(ErrorKind::failed, what, errnum);
    }
}

}  // namespace

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : input_(std::move(other.input_)),
      output_(std::move(other.output_)),
      errors_(std::move(other.errors_)),
      pid_(std::exchange(other.pid_, -1)) {}

WorkerProcess::~WorkerProcess() {
    if (pid_ > 0) {
        (void)end(0);
    }
}

Result<WorkerProcess> WorkerProcess::start(const std::vector<std::string>& arguments,
                                           const StartedProgram& program) {
    auto input = makePipe();
    auto output = makePipe();
    auto errors = makePipe();
    for (const auto* pipe : {&input, &output, &errors}) {
        if (!*pipe) {
            return tl::unexpected(pipe->error());
        }
    }
    SpawnActions spawn(program.apart);
    spawn.duplicate(input->read, STDIN_FILENO);
    spawn.duplicate(output->write, STDOUT_FILENO);
    spawn.duplicate(errors->write, STDERR_FILENO);
    std::vector<std::string> copies = arguments;
    std::vector<char*> argv;
    for (std::string& argument : copies) {
        argv.push_back(argument.data());
    }
    argv.push_back(nullptr);
    WorkerProcess process;
    const int error =
        posix_spawnp(&process.pid_, argv[0], spawn.actions(), spawn.attributes(), argv.data(), environ);
    if (error != 0) {
        process.pid_ = -1;
        return cannotStart(arguments.front(), program, error);
    }
    process.input_ = std::move(input->write);
    process.output_ = std::move(output->read);
    process.errors_ = std::move(errors->read);
    return process;
}

void WorkerProcess::kill() noexcept {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
    }
}

std::string WorkerProcess::end(int patienceMs) noexcept {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(patienceMs);
    int status = 0;
    for (;;) {
        const bool late = std::chrono::steady_clock::now() >= until;
        if (late) {
            kill();
        }
        const pid_t reaped = ::waitpid(pid_, &status, late ? 0 : WNOHANG);
        if (reaped == pid_) {
            break;
        }
        if (reaped < 0 && errno != EINTR) {
            pid_ = -1;
            return "ended, and something else in this program took its exit status";
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    pid_ = -1;
    if (WIFSIGNALED(status)) {
        return describeSignal(WTERMSIG(status));
    }
    return WEXITSTATUS(status) == 0 ? std::string()
                                    : fmt::format("ended with status {}", WEXITSTATUS(status));
}

}  // namespace mmapscope
