// The machine that has the file and measures: this one, or another over ssh. Both are asked in the same way.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "host/questions.h"
#include "study/study_runner.h"

namespace mmapscope {

struct Measured {
    Study study;
    std::string lost;  ///< why it ended early: the connection, a crash there; empty: it didn't
};

/// Its functions may be called on any thread; one answers after the other. All errors are one line, of
/// another machine with its name. Each answers soon after `stop`: cancelled.
class Host {
  public:
    Host() = default;
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;
    virtual ~Host() = default;

    /// As ssh takes it; empty: this machine.
    [[nodiscard]] virtual std::string name() const = 0;

    /// Error: input, usage (no such workload).
    [[nodiscard]] virtual Result<FileAnswer> look(const FileQuestion& question, std::stop_token stop) = 0;
    /// Error: input, usage.
    [[nodiscard]] virtual Result<ArmsAnswer> ask(const ArmsQuestion& question, std::stop_token stop) = 0;
    /// Error: input; unavailable, see residencyOf.
    [[nodiscard]] virtual Result<ResidencyNow> residency(const std::string& path, std::stop_token stop) = 0;
    /// Of the whole file, although it may be there already. As prepareCache.
    [[nodiscard]] virtual Result<CacheFacts> prepare(const std::string& path, CacheState state,
                                                     std::stop_token stop) = 0;
    [[nodiscard]] virtual Result<std::string> report(const ReportQuestion& question,
                                                     std::stop_token stop) = 0;

    /// Plans it, tells the plan, and runs it; `events` are called on this thread. What was measured before a
    /// connection was lost is kept. Error: what planning says; nothing was measured then.
    [[nodiscard]] virtual Result<Measured> measure(const StudyOrder& order,
                                                   const std::function<void(const Study&)>& planned,
                                                   const StudyEvents& events, std::stop_token stop) = 0;
};

/// This machine. `workerProgram` empty: where findWorkerProgram() finds it, once it is needed.
[[nodiscard]] std::unique_ptr<Host> thisHost(std::string workerProgram = {});

struct SshOptions {
    std::string host;                          ///< name, user@name, an alias of ssh's configuration
    std::string program = "mmapscope-worker";  ///< there
    /// The command and its own options, split as a shell does; empty: $MMAPSCOPE_SSH, else ssh.
    std::string ssh;
};
/// Nothing is connected before something is asked. Error: usage, for what can't be a host or a command.
[[nodiscard]] Result<std::unique_ptr<Host>> hostOverSsh(SshOptions options);

/// The words of a command line: blanks part them, quotes and backslashes keep them together. Error: usage,
/// for a quote that isn't closed.
[[nodiscard]] Result<std::vector<std::string>> splitWords(std::string_view text);

}  // namespace mmapscope
