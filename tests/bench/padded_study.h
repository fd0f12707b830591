// Studies with one arm that really takes longer.
#pragma once

#include <chrono>
#include <utility>

#include "study/backend.h"
#include "study/study_runner.h"

namespace mmapscope::bench {

/// Works for `duration` and says how long it really was.
inline Nanoseconds spin(Nanoseconds duration) {
    const auto start = std::chrono::steady_clock::now();
    auto now = start;
    while (now - start < duration) {
        now = std::chrono::steady_clock::now();
    }
    return now - start;
}

/// A study whose arm `padded` takes `pad` of its wall time longer in every run. Error: it can't be planned,
/// or an arm has no rank.
inline Result<Study> paddedStudy(const StudyRequest& request, std::uint32_t padded, double pad) {
    auto planned = planStudy(request);
    if (!planned) {
        return tl::unexpected(planned.error());
    }
    std::uint32_t arm = 0;
    StudyEvents events;
    events.progress = [&](const Progress& progress) { arm = progress.arm; };
    StudyBackend backend = realBackend(request);
    backend.run = [&, inner = backend.run](const RunRequest& run, const RunWatch& watch,
                                           std::stop_token stop) {
        RunRecord record = inner(run, watch, std::move(stop));
        if (arm == padded && pad > 0) {
            record.wall +=
                spin(Nanoseconds(static_cast<std::int64_t>(static_cast<double>(record.wall.count()) * pad)));
        }
        return record;
    };
    Study study = runStudyWith(backend, std::move(*planned), request, events, {});
    for (const ArmSummary& summary : study.summary) {
        if (!study.complete || !summary.unrankedReason.empty()) {
            return fail(ErrorKind::failed,
                        study.arms[summary.arm].id + " has no rank: " + summary.unrankedReason);
        }
    }
    return study;
}

}  // namespace mmapscope::bench
