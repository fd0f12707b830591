// Executes one run in a fresh mmapscope-worker.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <concepts>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "run/run_record.h"
#include "run/sample.h"

namespace mmapscope {

/// Called on the calling thread with each batch of samples that came over the pipe.
using SampleSink = std::function<void(std::span<const Sample>)>;

/// How a run is watched from the calling thread.
struct RunWatch {
    RunWatch() = default;
    /// Only the samples.
    template <class Sink>
    requires std::constructible_from<SampleSink, Sink> &&
        (!std::same_as<std::decay_t<Sink>, RunWatch>)RunWatch(Sink&& sink)
        : samples(std::forward<Sink>(sink)) {}  // NOLINT(google-explicit-constructor)

    SampleSink samples;
    /// One line when the worker has sent nothing for `silentAfter` (what /proc says it does, and what would
    /// help), again after each such time; empty when it speaks again. A worker that is not asked for samples
    /// is silent by nature: only one that is stopped is told of.
    std::function<void(const std::string&)> silence;
    std::chrono::milliseconds silentAfter = std::chrono::seconds(10);
    /// Once the worker is there and before it is told what to do: puts it under a memory cap. Its error is
    /// the run's.
    std::function<Status(pid_t)> started;
    /// Words before the program's own command line, of a program that executes it in place (systemd-run).
    std::vector<std::string> launcher;
    /// Its record is there, and it still lives: what its control group says can still be read.
    std::function<void()> recorded;
    /// Once it was killed by a signal that nobody here sent: why, if someone knows ("its memory cap …");
    /// empty: nobody does.
    std::function<std::string()> whyKilled;
    /// For a program that never says hello.
    std::chrono::milliseconds helloPatience = std::chrono::seconds(5);
};

/// Whether the record says that the program is no worker (of this version), which no further run will change.
[[nodiscard]] bool isNoWorker(const RunRecord& record);

/// Spawns `workerProgram`, sends the request, gathers frames until the record is there. A worker that dies is
/// a failed record that says how ("killed by signal 9 (SIGKILL)", "ran out of memory"); protocol or version
/// mismatch is a failed record too. On stop: a stop frame, 50 ms later SIGKILL. The worker is always reaped.
[[nodiscard]] RunRecord runInWorker(const std::string& workerProgram, const RunRequest& request,
                                    const RunWatch& watch, std::stop_token stop);

/// mmapscope-worker beside this program, else in ../libexec/mmapscope, else on PATH.
/// Error: unavailable, saying where it was looked for.
[[nodiscard]] Result<std::string> findWorkerProgram();

}  // namespace mmapscope
