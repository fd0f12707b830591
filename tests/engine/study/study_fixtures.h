// Studies made by hand, and a world in which runs take exactly as long as a test says.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "study/backend.h"
#include "study/random.h"
#include "study/statistics.h"
#include "study/study.h"

namespace mmapscope::fixtures {

inline Arm arm(const std::string& id, unsigned threads = 1) {
    return {id, id.substr(0, id.find_first_of(":#@")), {}, "scan", {}, threads};
}

inline Study emptyStudy(const std::vector<std::string>& ids) {
    Study study;
    study.plan.file = "/data/file";
    study.plan.fileBytes = mib(1);
    study.plan.workload = "scan";
    study.plan.rounds = 15;
    study.plan.orderSeed = 7;
    study.environment.cores = 2;
    for (const auto& id : ids) {
        study.arms.push_back(arm(id));
    }
    return study;
}

inline RunRecord goodRun(std::uint32_t arm, Phase phase, std::uint32_t round, double wallMs) {
    RunRecord run;
    run.arm = arm;
    run.phase = phase;
    run.round = round;
    run.status = RunStatus::ok;
    run.wall = Nanoseconds(static_cast<std::int64_t>(wallMs * 1e6));
    run.bytesIn = mib(1);
    run.cache.reached = true;
    run.outcome = Outcome{{{"bytes", std::uint64_t{1} << 20U}, {"sum", std::uint64_t{42}}}};
    return run;
}

inline RunRecord badRun(std::uint32_t arm, Phase phase, std::uint32_t round, ErrorKind kind,
                        const std::string& error) {
    RunRecord run;
    run.arm = arm;
    run.phase = phase;
    run.round = round;
    run.status = kind == ErrorKind::unavailable ? RunStatus::unavailable : RunStatus::failed;
    run.errorKind = kind;
    run.error = error;
    run.cache.reached = true;
    return run;
}

/// One measured run an arm and round, `wallMs(arm, round)` long, round from 1.
inline Study measuredStudy(const std::vector<std::string>& ids, unsigned rounds,
                           const std::function<double(std::uint32_t, unsigned)>& wallMs) {
    Study study = emptyStudy(ids);
    study.plan.rounds = rounds;
    for (unsigned round = 1; round <= rounds; ++round) {
        for (std::uint32_t a = 0; a < ids.size(); ++a) {
            study.runs.push_back(goodRun(a, Phase::measured, round, wallMs(a, round)));
        }
    }
    return study;
}

/// What a paired A/A study of fresh processes looks like: log-normal with a MAD of 1 to 2 %, and now and then
/// a run that something else disturbed.
inline double noisyWall(SplitMix64& random, double center) {
    double normal = -6;
    for (int i = 0; i < 12; ++i) {
        normal += random.unit();
    }
    double wall = center * std::exp(0.018 * normal);
    if (random.unit() < 0.04) {
        wall *= 1.1 + 0.9 * random.unit();
    }
    return wall;
}

inline bool warns(const Study& study, const std::string& words) {
    return std::any_of(study.warnings.begin(), study.warnings.end(),
                       [&](const std::string& w) { return w.find(words) != std::string::npos; });
}

/// A backend whose clock only moves when its runs do.
class FakeWorld {
  public:
    struct Call {
        std::string what;  ///< "prepare" or the source's id
        Phase phase;
        bool forced = false;
    };

    /// Wall time by source id and how often it ran before.
    std::function<Nanoseconds(const RunRequest&, unsigned ranBefore)> wall = [](const RunRequest&, unsigned) {
        return std::chrono::milliseconds(10);
    };
    /// May change or fail a run.
    std::function<void(const RunRequest&, RunRecord&, unsigned ranBefore)> change;
    std::function<Availability(const Arm&)> available = [](const Arm&) { return Availability::yes(); };
    std::function<Result<CacheFacts>(CacheState)> cache = [](CacheState state) {
        CacheFacts facts;
        facts.state = state;
        facts.reached = true;
        facts.residentBefore = 1.0;
        return Result<CacheFacts>(facts);
    };
    std::function<Result<FileStamp>(const std::string&)> stamp;  ///< default: the file's
    Nanoseconds preparation = std::chrono::milliseconds(2);
    std::chrono::steady_clock::time_point now{std::chrono::seconds(1)};
    std::vector<Call> calls;

    [[nodiscard]] StudyBackend backend() {
        StudyBackend b;
        b.run = [this](const RunRequest& request, const RunWatch& watch, const std::stop_token& stop) {
            calls.push_back({request.source, request.phase});
            const unsigned before = ran_[request.source]++;
            RunRecord run = goodRun(0, request.phase, 0, 1);
            run.wall = wall(request, before);
            now += run.wall / 2;
            Sample sample;
            sample.tNs = (run.wall / 2).count();
            watch.samples({&sample, 1});
            now += run.wall / 2;
            if (stop.stop_requested()) {
                run.status = RunStatus::cancelled;
                run.outcome.reset();
            }
            if (change) {
                change(request, run, before);
            }
            return run;
        };
        b.prepareCache = [this](const FileFacts&, Range, CacheState state, bool force,
                                const std::stop_token& stop,
                                const std::function<void(double)>&) -> Result<CacheFacts> {
            calls.push_back({"prepare", Phase::inspection, force});
            if (stop.stop_requested()) {
                return cancelled();
            }
            now += preparation;
            return cache(state);
        };
        b.residentShare = [](const FileFacts&, Range) { return std::optional(0.995); };
        b.availability = [this](const FileFacts&, const Arm& arm, Range) { return available(arm); };
        b.stamp = [this](const std::string& path) {
            return stamp ? stamp(path) : inspectFile(path).map([](const FileFacts& f) { return f.stamp; });
        };
        b.now = [this] { return now; };
        return b;
    }

    [[nodiscard]] std::vector<std::string> sourcesRun(Phase phase) const {
        std::vector<std::string> ids;
        for (const Call& call : calls) {
            if (call.what != "prepare" && call.phase == phase) {
                ids.push_back(call.what);
            }
        }
        return ids;
    }

  private:
    std::map<std::string, unsigned> ran_;
};

}  // namespace mmapscope::fixtures
