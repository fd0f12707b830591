// Made-up fault traces for the fault map.
#pragma once

#include <random>

#include "tests/widgets/synthetic_study.h"

namespace mmapscope::testing {

inline void addFault(FaultTrace& trace, std::int64_t tNs, std::uint64_t offset, bool major = false,
                     std::uint32_t thread = 0) {
    trace.tNs.push_back(tNs);
    trace.offset.push_back(offset);
    trace.major.push_back(major ? 1 : 0);
    trace.thread.push_back(thread);
}

/// A walk through the file, a fault every `stride`, each `step` after the one before; every 97th waits for
/// storage and every 31st is elsewhere.
inline FaultTrace walkTrace(std::size_t faults, Bytes stride, std::int64_t step = 20000) {
    FaultTrace trace;
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < faults; ++i) {
        const auto t = static_cast<std::int64_t>(i) * step;
        if (i % 31 == 30) {
            addFault(trace, t, FaultTrace::kElsewhere);
        } else {
            addFault(trace, t, offset, i % 97 == 96);
            offset += stride.count();
        }
    }
    return trace;
}

/// Two threads anywhere in a file of that size, one step of 20 ns after the other.
inline FaultTrace scatteredTrace(std::size_t faults, Bytes file) {
    std::mt19937_64 random(11);
    FaultTrace trace;
    const std::uint64_t pages = file / kib(4);
    for (std::size_t i = 0; i < faults; ++i) {
        const bool elsewhere = random() % 50 == 0;
        addFault(trace, static_cast<std::int64_t>(i) * 20,
                 elsewhere ? FaultTrace::kElsewhere : random() % pages * kib(4).count(), random() % 64 == 0,
                 static_cast<std::uint32_t>(random() % 2));
    }
    return trace;
}

/// The synthetic study; its arms' inspection runs have these traces, by arm.
inline std::shared_ptr<Study> tracedStudy(const std::vector<FaultTrace>& traces, Bytes bytes = mib(128)) {
    auto study = std::make_shared<Study>(syntheticStudy(bytes, 2));
    study->environment.page = kib(4);
    for (RunRecord& run : study->runs) {
        if (run.phase == Phase::inspection && run.arm < traces.size()) {
            run.faultTrace = traces[run.arm];
        }
    }
    return study;
}

}  // namespace mmapscope::testing
