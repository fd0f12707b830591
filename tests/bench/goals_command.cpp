#include "bench/goals_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/unique_fd.h"

namespace mmapscope::bench {
namespace {

/// What posix_spawn is told, freed with it.
class SpawnSettings {
  public:
    SpawnSettings() {
        posix_spawn_file_actions_init(&actions_);
        posix_spawnattr_init(&attributes_);
        // A group of its own: fio has children, which must end with it. This program's threads block the
        // signals that stop it; the started program must not.
        sigset_t none;
        sigemptyset(&none);
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setpgroup(&attributes_, 0);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
        posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    ~SpawnSettings() {
        posix_spawn_file_actions_destroy(&actions_);
        posix_spawnattr_destroy(&attributes_);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;

    void output(int fd) {
        if (fd >= 0) {
            posix_spawn_file_actions_adddup2(&actions_, fd, STDOUT_FILENO);
        } else {
            posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        }
    }
    [[nodiscard]] Result<pid_t> start(std::vector<std::string> arguments) {
        std::vector<char*> raw;
        for (std::string& argument : arguments) {
            raw.push_back(argument.data());
        }
        raw.push_back(nullptr);
        pid_t child = 0;
        const int error = posix_spawnp(&child, raw.front(), &actions_, &attributes_, raw.data(), environ);
        if (error == ENOENT) {
            return fail(ErrorKind::unavailable,
                        fmt::format("{0} is not installed (apt-get install {0})", arguments.front()));
        }
        if (error != 0) {
            return failErrno(ErrorKind::failed, "starting " + arguments.front(), error);
        }
        return child;
    }

  private:
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

std::chrono::nanoseconds durationOf(const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

std::string drain(int fd) {
    std::string all;
    char block[4096];
    for (;;) {
        const ssize_t got = ::read(fd, block, sizeof block);
        if (got > 0) {
            all.append(block, static_cast<std::size_t>(got));
        } else if (got == 0 || errno != EINTR) {
            return all;
        }
    }
}

}  // namespace

std::vector<std::string> wordsOf(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

Result<CommandResult> runCommand(const std::vector<std::string>& arguments, bool keepOutput,
                                 const std::stop_token& stop) {
    if (stop.stop_requested()) {
        return cancelled();
    }
    UniqueFd readEnd;
    UniqueFd writeEnd;
    if (keepOutput) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) {
            return failErrno(ErrorKind::failed, "pipe", errno);
        }
        readEnd.reset(ends[0]);
        writeEnd.reset(ends[1]);
    }
    SpawnSettings settings;
    settings.output(writeEnd.get());

    const auto start = std::chrono::steady_clock::now();
    const auto child = settings.start(arguments);
    if (!child) {
        return tl::unexpected(child.error());
    }
    writeEnd.reset();
    CommandResult result;
    siginfo_t end{};
    {
        const std::stop_callback kill(stop, [group = *child] { ::kill(-group, SIGKILL); });
        if (keepOutput) {
            result.output = drain(readEnd.get());
        }
        // Left to be reaped below, so that the number can't be another process's while it may be killed.
        while (waitid(P_PID, static_cast<id_t>(*child), &end, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
        }
    }
    result.elapsed.wall = std::chrono::steady_clock::now() - start;
    int status = 0;
    rusage used{};
    wait4(*child, &status, 0, &used);
    result.elapsed.cpu = durationOf(used.ru_utime) + durationOf(used.ru_stime);
    if (stop.stop_requested()) {
        return cancelled();
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return fail(ErrorKind::failed,
                    WIFEXITED(status)
                        ? fmt::format("{} ended with status {}", arguments.front(), WEXITSTATUS(status))
                        : fmt::format("{} was ended by signal {}", arguments.front(), WTERMSIG(status)));
    }
    return result;
}

Result<Elapsed> runFio(const std::string& file, Bytes size, const std::string& options,
                       const std::stop_token& stop) {
    std::vector<std::string> arguments{"fio",
                                       "--name=read",
                                       "--rw=read",
                                       "--readonly",
                                       "--output-format=json",
                                       "--filename=" + file,
                                       fmt::format("--size={}", size.count())};
    for (std::string& word : wordsOf(options)) {
        arguments.push_back(std::move(word));
    }
    const auto ran = runCommand(arguments, true, stop);
    if (!ran) {
        return tl::unexpected(ran.error());
    }
    // fio puts its warnings before the JSON.
    const std::size_t begin = ran->output.find('{');
    const auto json =
        nlohmann::json::parse(begin == std::string::npos ? "" : ran->output.substr(begin), nullptr, false);
    const nlohmann::json::json_pointer where("/jobs/0/read/bw_bytes");
    if (json.is_discarded() || !json.contains(where) || !json.at(where).is_number() ||
        json.at(where).get<double>() <= 0) {
        return fail(ErrorKind::failed, "fio reported no bandwidth");
    }
    const double seconds = static_cast<double>(size.count()) / json.at(where).get<double>();
    // Its CPU time has its start in it: on that clock it counts as busy throughout.
    const std::chrono::nanoseconds took(static_cast<std::int64_t>(seconds * 1e9));
    return Elapsed{took, took};
}

}  // namespace mmapscope::bench
