// What a study does to the world, so that its order, bookkeeping and words can be tested without it.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>

#include "run/worker_client.h"
#include "source/source.h"
#include "study/study_runner.h"

namespace mmapscope {

struct StudyBackend {
    /// Executes one run and fills in what watching it cost.
    std::function<RunRecord(const RunRequest&, const RunWatch&, std::stop_token)> run;
    /// prepareCache, with progress from 0 to 1.
    std::function<Result<CacheFacts>(const FileFacts&, Range, CacheState, bool force, std::stop_token,
                                     const std::function<void(double)>& progress)>
        prepareCache;
    /// Share of the range in the page cache; nullopt: not told for this file.
    std::function<std::optional<double>(const FileFacts&, Range)> residentShare;
    std::function<Availability(const FileFacts&, const Arm&, Range)> availability;
    std::function<Result<FileStamp>(const std::string& path)> stamp;
    std::function<std::chrono::steady_clock::time_point()> now;
};

/// Runs in workers or in this process, as the request says.
[[nodiscard]] StudyBackend realBackend(const StudyRequest& request);

/// runStudy over any backend.
[[nodiscard]] Study runStudyWith(const StudyBackend& backend, Study planned, const StudyRequest& request,
                                 const StudyEvents& events, std::stop_token stop);

}  // namespace mmapscope
