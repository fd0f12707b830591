// Studies with something for every plot, made by hand.
#pragma once

#include "study/statistics.h"
#include "study/sweep_points.h"
#include "tests/engine/report/report_fixtures.h"
#include "tests/widgets/synthetic_trace.h"

namespace mmapscope::testing {

/// Four arms with curves, faults of two of them traced, and times taken apart. `ids`: other names for the
/// arms.
inline std::shared_ptr<Study> wholeStudy(const std::vector<std::string>& ids = {}) {
    auto study = std::make_shared<Study>(syntheticStudy(mib(128), 7));
    study->environment = fixtures::fullEnvironment();
    study->environment.page = kib(4);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        study->arms[i].id = ids[i];
    }
    for (RunRecord& run : study->runs) {
        if (run.phase == Phase::inspection && run.arm < 2) {
            run.faultTrace = run.arm == 0 ? walkTrace(12, kib(64)) : walkTrace(1800, kib(64));
        }
    }
    summarize(*study);
    for (std::uint32_t arm = 0; arm < study->arms.size(); ++arm) {
        const auto ms = [](double value) { return Nanoseconds(static_cast<std::int64_t>(value * 1e6)); };
        Attribution attribution;
        attribution.arm = arm;
        attribution.wall = ms(20 + arm);
        attribution.parts = {
            {"open", ms(0.1), "clocked", {}},
            {"deliver", ms(8), "clocked", {{"copy", ms(5), "", {}}, {"storage_wait", ms(3), "", {}}}},
            {"workload", ms(11), "the same work on memory", {}},
            {"handover", ms(-1), "", {}},
            {"close", ms(0.5), "clocked", {}},
            {"overlap", ms(4), "helpers", {}}};
        attribution.unexplained = attribution.wall - ms(18.6);
        attribution.sentence = study->arms[arm].id + " spends most of its time in the work itself.";
        study->attribution.push_back(attribution);
    }
    return study;
}

/// Two arms that cross under a cap.
inline std::shared_ptr<Study> sweepStudy() {
    using namespace fixtures;
    auto study = std::make_shared<Study>(emptyStudy({"read", "mmap"}));
    study->environment = fullEnvironment();
    study->plan.rounds = 5;
    study->plan.fileBytes = mib(512);
    study->plan.memoryCap = mib(256);
    study->sweep.emplace();
    for (const std::uint64_t size : {16U, 32U, 64U, 128U, 256U, 512U}) {
        study->sweep->sizes.push_back(mib(size));
        for (unsigned round = 1; round <= 5; ++round) {
            for (std::uint32_t arm = 0; arm < 2; ++arm) {
                const double base = static_cast<double>(size) * (1 + 0.002 * round);
                RunRecord run = goodRun(arm, Phase::measured, round,
                                        arm == 0      ? base
                                        : size <= 128 ? base * 0.8
                                                      : base * 1.3);
                run.limit = mib(size);
                run.bytesIn = mib(size);
                run.minorFaults = arm == 0 ? 20 : size * 16;
                run.majorFaults = arm == 1 && size > 128 ? size : 0;
                run.storageRead = size > 128 ? mib(size) : Bytes(0);
                study->runs.push_back(run);
            }
        }
    }
    study->sweep->complete = true;
    summarize(*study);
    return study;
}

/// What must not end up as markup, of whatever kind.
inline std::vector<std::string> hostileNames() {
    return {"<script>alert(1)</script>", "\"><img src=x onerror=y>&amp;%1%2",
            "fill=\"#0072b2\" \x1b[31m\n]]>", std::string(5000, 'x')};
}

}  // namespace mmapscope::testing
