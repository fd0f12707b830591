#include "bench/goals_measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "bench/bench_support.h"
#include "bench/goals_bare.h"
#include "bench/goals_command.h"
#include "bench/goals_corpora.h"
#include "run/cache_state.h"
#include "run/execute.h"
#include "study/random.h"

namespace mmapscope::bench {
namespace {

using Taken = Result<Elapsed>;

/// To put a file's page cache into its state.
constexpr int kAttempts = 3;

/// Everything of one group that lasts from round to round.
struct Stage {
    const Group* group = nullptr;
    std::vector<Contestant> contestants;
    std::optional<FileFacts> file;
    GroupTimes times;
    std::map<std::string, Outcome> outcomes;  ///< what every arm of a workload must compute
};

Result<RunRequest> requestOf(const FileFacts& file, const Contestant& contestant) {
    const std::size_t colon = contestant.what.find(':');
    const std::string id = contestant.what.substr(0, colon);
    const WorkloadType* const workload = findWorkload(id);
    if (workload == nullptr) {
        return fail(ErrorKind::unavailable, fmt::format("no {} workload in this build", id));
    }
    const auto asked = parseParameters(workload->parameters,
                                       colon == std::string::npos ? "" : contestant.what.substr(colon + 1));
    const auto arm = armRequest(contestant.source);
    if (!asked || !arm) {
        return tl::unexpected(asked ? arm.error() : asked.error());
    }
    auto parameters = workload->resolve(file, *asked);
    if (!parameters) {
        return tl::unexpected(parameters.error());
    }
    auto ranges = workload->split(file, *parameters, file.bytes, contestant.threads);
    if (!ranges) {
        return tl::unexpected(ranges.error());
    }
    const auto can =
        findSource(arm->source)
            ->availability(file, arm->sourceParameters, {Bytes(0), file.bytes}, contestant.threads);
    if (!can.available) {
        return fail(ErrorKind::unavailable, can.reason);
    }
    RunRequest request;
    request.path = file.path;
    request.stamp = file.stamp;
    request.ranges = std::move(*ranges);
    request.source = arm->source;
    request.sourceParameters = arm->sourceParameters;
    request.workload = id;
    request.workloadParameters = std::move(*parameters);
    request.sampling = false;
    return request;
}

class Measurement {
  public:
    Measurement(const Settings& settings, std::stop_token stop,
                const std::function<void(const std::string&)>& say, Corpora corpora)
        : settings_(settings), stop_(std::move(stop)), say_(say), corpora_(std::move(corpora)) {}

    Status makeFiles(const std::vector<Group>& groups);
    /// Round 0 is the warm-up, which isn't kept.
    Status round(unsigned number);
    [[nodiscard]] std::vector<GroupTimes> times() &&;

  private:
    Status oneGroup(Stage& stage, unsigned round, std::uint64_t seed);
    Taken run(Stage& stage, const Contestant& contestant, const TickBuffer* buffer);
    Taken runArm(Stage& stage, const Contestant& contestant);
    Taken runProgram(const FileFacts& file, const Contestant& contestant);
    Status prepare(const Stage& stage, bool force);

    const Settings& settings_;
    std::stop_token stop_;
    const std::function<void(const std::string&)>& say_;
    Corpora corpora_;
    std::vector<Stage> stages_;
};

Status Measurement::makeFiles(const std::vector<Group>& groups) {
    for (const Group& group : groups) {
        Stage stage;
        stage.group = &group;
        stage.contestants = group.contestants();
        stage.times.bytes = static_cast<double>(group.corpus.request.size.count());
        if (!group.corpus.inMemory) {
            say_("making " + group.corpus.name);
            auto file = corpora_.file(group.corpus, stop_);
            if (!file) {
                return tl::unexpected(file.error());
            }
            stage.file = std::move(*file);
        }
        stages_.push_back(std::move(stage));
    }
    return {};
}

Status Measurement::round(unsigned number) {
    const std::uint64_t seed = streamSeed(settings_.seed, number);
    for (const std::uint32_t index : shuffledIndices(stages_.size(), seed)) {
        Stage& stage = stages_[index];
        say_(number == 0 ? "warming up: " + stage.group->title
                         : fmt::format("round {} of {}: {}", number, settings_.rounds, stage.group->title));
        if (auto done = oneGroup(stage, number, streamSeed(seed, index)); !done) {
            return done;
        }
    }
    return {};
}

Status Measurement::prepare(const Stage& stage, bool force) {
    std::string reason;
    // Another program that needs memory may take a page just then: once isn't never.
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        const auto facts = prepareCache(*stage.file, {Bytes(0), stage.file->bytes}, stage.group->cache,
                                        force || attempt > 0, stop_);
        if (!facts) {
            return tl::unexpected(facts.error());
        }
        if (facts->reached) {
            return {};
        }
        reason = facts->reason;
    }
    return fail(ErrorKind::unavailable,
                fmt::format("cache state {} not reached: {}", name(stage.group->cache), reason));
}

Status Measurement::oneGroup(Stage& stage, unsigned round, std::uint64_t seed) {
    std::optional<TickBuffer> buffer;
    if (stage.group->corpus.inMemory) {
        auto made = TickBuffer::make(stage.group->corpus.request, stop_);
        if (!made) {
            return tl::unexpected(made.error());
        }
        buffer = std::move(*made);
    }
    const bool cold = stage.group->cache == CacheState::cold;
    const unsigned repeats = round == 0 ? 1 : stage.group->perRound;
    for (unsigned repeat = 0; repeat < repeats; ++repeat) {
        bool force = round == 0;
        for (const std::uint32_t index :
             shuffledIndices(stage.contestants.size(), streamSeed(seed, repeat))) {
            const Contestant& contestant = stage.contestants[index];
            Times& times = stage.times.of[contestant.label()];
            if (!times.unavailable.empty()) {
                continue;
            }
            // A warm file that stayed resident is left as it is: this then is only a look.
            const Status ready = stage.file ? prepare(stage, force || cold) : Status();
            force = false;
            const Taken took =
                ready ? run(stage, contestant, buffer ? &*buffer : nullptr) : tl::unexpected(ready.error());
            if (!took && took.error().kind == ErrorKind::cancelled) {
                return tl::unexpected(took.error());
            }
            if (!took) {
                times.unavailable = took.error().message;
                times.seconds.clear();
            } else if (round > 0) {
                const auto counted = settings_.cpuTime ? took->cpu : took->wall;
                times.seconds.push_back(std::chrono::duration<double>(counted).count());
            }
        }
    }
    return {};
}

Taken Measurement::run(Stage& stage, const Contestant& contestant, const TickBuffer* buffer) {
    switch (contestant.kind) {
        case Contestant::Kind::arm:
            return runArm(stage, contestant);
        case Contestant::Kind::command:
            return runProgram(*stage.file, contestant);
        case Contestant::Kind::fio:
            return runFio(stage.file->path, stage.file->bytes, contestant.what, stop_);
        case Contestant::Kind::buffer:
            return buffer->pass(contestant.what);
        case Contestant::Kind::scanner:
            return buffer->scan(contestant.what);
        case Contestant::Kind::bare:
            break;
    }
    const BareLoop* const loop = findBareLoop(contestant.what);
    return loop == nullptr ? fail(ErrorKind::usage, "no loop " + contestant.what)
                           : loop->run(stage.file->path, stage.file->bytes);
}

Taken Measurement::runArm(Stage& stage, const Contestant& contestant) {
    const auto request = requestOf(*stage.file, contestant);
    if (!request) {
        return tl::unexpected(request.error());
    }
    RunRecord record = executeRun(*request, nullptr, stop_);
    if (record.status != RunStatus::ok) {
        return fail(record.errorKind.value_or(ErrorKind::failed), record.error);
    }
    const auto [known, first] = stage.outcomes.try_emplace(request->workload, *record.outcome);
    if (!first && known->second != *record.outcome) {
        return fail(ErrorKind::failed, "its outcome differs from the other arms'");
    }
    return Elapsed{record.wall, record.cpu};
}

Taken Measurement::runProgram(const FileFacts& file, const Contestant& contestant) {
    std::vector<std::string> arguments = wordsOf(contestant.what);
    std::string output;
    for (std::string& argument : arguments) {
        if (argument == "{new}") {
            argument = output = corpora_.newName();
        } else if (const auto at = argument.find("{}"); at != std::string::npos) {
            argument.replace(at, 2, file.path);
        }
    }
    const auto ran = runCommand(arguments, false, stop_);
    if (!output.empty()) {
        std::error_code ignored;
        std::filesystem::remove(output, ignored);
    }
    if (!ran) {
        return tl::unexpected(ran.error());
    }
    return ran->elapsed;
}

std::vector<GroupTimes> Measurement::times() && {
    std::vector<GroupTimes> all;
    for (Stage& stage : stages_) {
        all.push_back(std::move(stage.times));
    }
    return all;
}

}  // namespace

Result<std::vector<GroupTimes>> measure(const std::vector<Group>& groups, const Settings& settings,
                                        const std::stop_token& stop,
                                        const std::function<void(const std::string&)>& say) {
    auto corpora = Corpora::create(settings.folder);
    if (!corpora) {
        return tl::unexpected(corpora.error());
    }
    Measurement measurement(settings, stop, say, std::move(*corpora));
    if (auto made = measurement.makeFiles(groups); !made) {
        return tl::unexpected(made.error());
    }
    for (unsigned round = 0; round <= settings.rounds; ++round) {
        if (auto done = measurement.round(round); !done) {
            return tl::unexpected(done.error());
        }
    }
    return std::move(measurement).times();
}

}  // namespace mmapscope::bench
