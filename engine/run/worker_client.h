// Executes one run in a fresh mmapscope-worker.
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>

#include "run/run_record.h"
#include "run/sample.h"

namespace mmapscope {

/// Called on the calling thread with each batch of samples that came over the pipe.
using SampleSink = std::function<void(std::span<const Sample>)>;

/// Spawns `workerProgram`, sends the request, gathers frames until the record is there. A worker that dies is
/// a failed record that says how ("killed by signal 9 (SIGKILL)", "ran out of memory"); protocol or version
/// mismatch is a failed record too. On stop: a stop frame, 50 ms later SIGKILL. The worker is always reaped.
[[nodiscard]] RunRecord runInWorker(const std::string& workerProgram, const RunRequest& request,
                                    const SampleSink& sink, std::stop_token stop);

/// mmapscope-worker beside this program, else in ../libexec/mmapscope, else on PATH.
/// Error: unavailable, saying where it was looked for.
[[nodiscard]] Result<std::string> findWorkerProgram();

}  // namespace mmapscope
