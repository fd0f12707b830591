// A made-up but plausible study, so that widgets can be looked at and tested without measuring anything.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "study/study.h"

namespace mmapscope::testing {

struct SyntheticArm {
    std::string id;
    double gibPerSecond;
    double setupShare;  ///< of the wall time, nothing delivered
    std::uint64_t minorFaults;
    std::uint64_t majorFaults;
    Bytes anon, file, huge;  ///< at the end
};

inline std::vector<SyntheticArm> syntheticArms() {
    return {{"read", 5.1, 0.002, 310, 0, kib(900), mib(2), Bytes()},
            {"mmap", 6.7, 0.001, 2080, 0, kib(820), mib(130), Bytes()},
            {"mmap-populate", 6.3, 0.12, 420, 0, kib(820), mib(130), Bytes()},
            {"hugetlb-memfd", 4.0, 0.58, 107, 0, kib(860), mib(2), mib(130)}};
}

inline RunRecord syntheticRun(std::uint32_t arm, const SyntheticArm& shape, unsigned round, Phase phase,
                              Bytes bytes, std::mt19937_64& random) {
    std::normal_distribution<double> noise(0, 0.012);
    RunRecord run;
    run.arm = arm;
    run.round = round;
    run.phase = phase;
    run.status = RunStatus::ok;
    const double seconds =
        static_cast<double>(bytes.count()) / (shape.gibPerSecond * (1U << 30U)) * std::exp(noise(random));
    const auto ns = [](double s) { return Nanoseconds(static_cast<std::int64_t>(s * 1e9)); };
    run.wall = ns(seconds);
    run.setup = ns(seconds * shape.setupShare);
    run.cpu = ns(seconds * 0.99);
    run.user = ns(seconds * 0.7);
    run.system = ns(seconds * 0.29);
    run.bytesIn = bytes;
    run.minorFaults = shape.minorFaults;
    run.majorFaults = shape.majorFaults;
    run.peakRss = shape.anon + shape.file + mib(3);
    run.peakPrivate = shape.anon;
    run.peakHugetlb = shape.huge;
    run.peakMappedCache = shape.file;
    run.storageRead = Bytes();
    run.voluntarySwitches = 2;
    run.involuntarySwitches = 5;
    run.outcome =
        Outcome{{{"bytes", Outcome::Value(bytes.count())}, {"sum", Outcome::Value(std::uint64_t{81985529})}}};
    run.cache = {CacheState::warm, true, {}, 1.0, 1.0, "readahead-sized"};

    // Work runs at a wobbling speed after the setup.
    constexpr std::size_t kStamps = 320;
    std::vector<double> weights;
    double sum = 0;
    for (std::size_t i = 0; i < kStamps; ++i) {
        const double slow = i > 200 && i < 212 && arm == 1 ? 3 : 1;  // one stall
        weights.push_back(slow * std::exp(noise(random) * 6));
        sum += weights.back();
    }
    double done = 0;
    run.stamps.tNs.push_back(0);
    run.stamps.bytes.push_back(0);
    run.stamps.minorFaults.push_back(0);
    for (std::size_t i = 0; i < kStamps; ++i) {
        done += weights[i] / sum;
        const double t = seconds * (shape.setupShare + (1 - shape.setupShare) * done);
        const double share = static_cast<double>(i + 1) / kStamps;
        run.stamps.tNs.push_back(ns(t).count());
        run.stamps.bytes.push_back(static_cast<std::uint64_t>(share * static_cast<double>(bytes.count())));
        run.stamps.minorFaults.push_back(
            static_cast<std::uint64_t>(share * static_cast<double>(run.minorFaults)));
    }

    run.sampling.period = std::chrono::milliseconds(10);
    run.sampling.costFraction = 0.004;
    for (double t = 0.0005; t < seconds; t += 0.010) {
        const double share = std::clamp((t / seconds - shape.setupShare) / (1 - shape.setupShare), 0.0, 1.0);
        const double filled = shape.setupShare > 0.3 ? std::min(1.0, t / seconds / shape.setupShare) : share;
        const auto part = [](Bytes whole, double p) {
            return static_cast<std::uint64_t>(static_cast<double>(whole.count()) * p);
        };
        Sample sample;
        sample.tNs = ns(t).count();
        sample.bytesIn = part(bytes, share);
        sample.minorFaults = static_cast<std::uint64_t>(share * static_cast<double>(run.minorFaults));
        sample.majorFaults = static_cast<std::uint64_t>(share * static_cast<double>(run.majorFaults));
        sample.rssAnon = shape.anon.count();
        sample.rssFile = mib(2).count() + (shape.file > mib(2) ? part(shape.file - mib(2), share) : 0);
        sample.rssShmem = 0;
        sample.hugetlb = part(shape.huge, filled);
        sample.pageTables = kib(60).count() + part(kib(240), share);
        sample.poolTotal = 80;
        sample.poolFree = 80 - sample.hugetlb / kHugePage.count();
        sample.thpEligible = arm == 2 ? 1 : 0;
        sample.anonHuge = 0;
        sample.filePmdMapped = shape.file > mib(2) ? part(shape.file - mib(12), share) : 0;
        sample.shmemPmdMapped = 0;
        const auto milliseconds = static_cast<std::uint64_t>(t * 1000);
        const std::uint64_t cold = shape.majorFaults != 0 ? 1 : 0;
        sample.storageRead = mib(3).count() + cold * part(bytes, share);
        sample.voluntarySwitches = milliseconds / 20 + cold * milliseconds;
        sample.involuntarySwitches = milliseconds / 8;
        // Looked at every tenth time only.
        const std::uint64_t looked = milliseconds / 100 * 100;
        sample.tlbShootdowns = looked / 2 * (arm + 1);
        sample.workingsetRefaults = cold * looked * 20;
        sample.pressureMemoryUs = looked * 4;
        sample.pressureIoUs = cold * looked * 300;
        run.sampling.samples.push_back(sample);
    }
    return run;
}

/// `rounds` measured rounds of every arm over `bytes`; 128 MiB take 20 to 32 ms.
inline Study syntheticStudy(Bytes bytes = mib(128), unsigned rounds = 15,
                            const std::vector<SyntheticArm>& shapes = syntheticArms()) {
    std::mt19937_64 random(7);
    Study study;
    study.plan.file = "/data/ticks.csv";
    study.plan.fileBytes = bytes;
    study.plan.workload = "scan";
    study.plan.rounds = rounds;
    for (const SyntheticArm& shape : shapes) {
        Arm arm;
        arm.id = shape.id;
        arm.source = shape.id;
        arm.workload = "scan";
        study.arms.push_back(arm);
    }
    for (unsigned round = 0; round <= rounds; ++round) {
        for (std::uint32_t arm = 0; arm < shapes.size(); ++arm) {
            study.runs.push_back(syntheticRun(
                arm, shapes[arm], round, round == 0 ? Phase::inspection : Phase::measured, bytes, random));
        }
    }
    study.complete = true;
    return study;
}

}  // namespace mmapscope::testing
