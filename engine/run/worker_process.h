// A child process with pipes on its standard streams.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/result.h"
#include "core/unique_fd.h"

namespace mmapscope {

/// What is started, in the words of an error.
struct StartedProgram {
    std::string what = "the worker";
    std::string remedy =
        "install the mmapscope-worker of this version there, executable and built for this machine";
    /// In a process group of its own: Ctrl+C in the terminal doesn't reach it.
    bool apart = false;
};

class WorkerProcess {
  public:
    WorkerProcess() = default;
    WorkerProcess(WorkerProcess&& other) noexcept;
    WorkerProcess& operator=(WorkerProcess&&) = delete;
    /// Kills (SIGKILL) and reaps what is still there.
    ~WorkerProcess();

    /// posix_spawn(3) of `arguments` (the first is the program, looked up on PATH when it has no slash), with
    /// all signals unblocked and SIGPIPE as by default. Error: failed, with the program and the kernel's
    /// words.
    [[nodiscard]] static Result<WorkerProcess> start(const std::vector<std::string>& arguments,
                                                     const StartedProgram& program = {});

    [[nodiscard]] int input() const noexcept { return input_.get(); }    ///< its standard input
    [[nodiscard]] int output() const noexcept { return output_.get(); }  ///< its standard output
    [[nodiscard]] int errors() const noexcept { return errors_.get(); }  ///< its standard error
    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    void closeInput() noexcept { input_.reset(); }

    void kill() noexcept;
    /// Waits up to `patienceMs` for its end, then kills it, and says how it ended: "was killed by signal 9
    /// (SIGKILL): …", "ended with status 1". Empty for status 0.
    [[nodiscard]] std::string end(int patienceMs) noexcept;

  private:
    UniqueFd input_, output_, errors_;
    pid_t pid_ = -1;
};

}  // namespace mmapscope
