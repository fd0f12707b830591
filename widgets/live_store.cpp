#include "widgets/live_store.h"

#include <algorithm>

#include "widgets/stamp_rates.h"

namespace mmapscope {

namespace {

constexpr std::size_t kRateRows = 1024;

void fillRates(const Stamps& stamps, LiveTrack& track) {
    track.clear();
    for (const RateRow& rate : ratesOf(stamps, kRateRows)) {
        LiveRow row;
        row.seconds = rate.seconds;
        row.bytes = rate.bytes;
        row[LiveColumn::throughput] = rate.bytesPerSecond;
        row[LiveColumn::minorRate] = rate.minorFaultsPerSecond;
        row[LiveColumn::minorTotal] = rate.minorFaults;
        track.append(row);
    }
}

/// The run's own totals close the curve of the samples, the last of which came some milliseconds earlier.
Sample closing(const RunRecord& record) {
    Sample sample;
    if (!record.sampling.samples.empty()) {
        sample = record.sampling.samples.back();
    }
    sample.tNs = record.wall.count();
    sample.bytesIn = record.bytesIn.count();
    sample.bytesOut = record.bytesOut.value_or(Bytes(0)).count();
    sample.minorFaults = record.minorFaults;
    sample.majorFaults = record.majorFaults;
    // Levels are what was seen, when it was seen: after the last look nothing is known of them.
    sample.rssAnon = sample.rssFile = sample.rssShmem = sample.hugetlb = sample.pageTables = kNotAvailable;
    sample.poolFree = sample.poolTotal = sample.storageRead = sample.thpEligible = kNotAvailable;
    sample.anonHuge = sample.filePmdMapped = sample.shmemPmdMapped = kNotAvailable;
    sample.voluntarySwitches = sample.involuntarySwitches = kNotAvailable;
    sample.tlbShootdowns = sample.workingsetRefaults = kNotAvailable;
    sample.pressureMemoryUs = sample.pressureIoUs = kNotAvailable;
    return sample;
}

/// Largest figures of different times don't add up: told only where one kind backs all there is.
double onlyHugeOf(const MappingFacts& facts) {
    double only = facts.anonHuge ? 0.0 : kAbsent;
    for (const auto& part : {facts.anonHuge, facts.filePmdMapped, facts.shmemPmdMapped, facts.hugetlb}) {
        if (part && part->count() != 0) {
            only = only == 0 ? static_cast<double>(part->count()) : kAbsent;
        }
    }
    return only;
}

bool isGood(const RunRecord& record) {
    return record.status == RunStatus::ok;
}

}  // namespace

const LiveTrack& LiveArm::trackOf(LiveColumn column) const {
    const bool fromStamps = column == LiveColumn::throughput || column == LiveColumn::minorRate ||
                            column == LiveColumn::minorTotal;
    return fromStamps && !rates.isEmpty() ? rates : levels;
}

double LiveArm::inspectedValue(LiveColumn column) const {
    const auto amount = [](const std::optional<Bytes>& figure) {
        return figure ? static_cast<double>(figure->count()) : kAbsent;
    };
    if (!inspected) {
        return kAbsent;
    }
    switch (column) {
        case LiveColumn::thpEligible:
            return inspected->thpEligible ? (*inspected->thpEligible ? 1.0 : 0.0) : kAbsent;
        case LiveColumn::anonHuge:
            return amount(inspected->anonHuge);
        case LiveColumn::hugeBacked:
            return onlyHugeOf(*inspected);
        case LiveColumn::pmdMapped:
            return inspected->shmemPmdMapped && inspected->shmemPmdMapped > inspected->filePmdMapped
                       ? amount(inspected->shmemPmdMapped)
                       : amount(inspected->filePmdMapped);
        default:
            return kAbsent;
    }
}

double LiveArm::endSeconds() const {
    double end = 0;
    for (const LiveTrack* track : {&levels, &rates}) {
        if (!track->isEmpty()) {
            end = std::max(end, track->rows().back().seconds);
        }
    }
    return end;
}

void LiveStore::begin(const Study& planned) {
    arms_.clear();
    arms_.resize(planned.arms.size());
    for (std::size_t i = 0; i < arms_.size(); ++i) {
        arms_[i].id = QString::fromStdString(planned.arms[i].id);
    }
}

void LiveStore::runStarted(std::uint32_t arm, Phase phase, unsigned round) {
    for (LiveArm& other : arms_) {
        other.running = false;
    }
    if (arm >= arms_.size()) {
        return;
    }
    LiveArm& live = arms_[arm];
    live.running = true;
    live.fresh_ = true;
    live.phase = phase;
    live.round = round;
}

void LiveStore::addSamples(std::uint32_t arm, std::span<const Sample> samples) {
    if (arm >= arms_.size() || samples.empty() || !arms_[arm].running) {
        return;
    }
    LiveArm& live = arms_[arm];
    if (live.fresh_) {
        live.fresh_ = false;
        live.finished = false;
        live.levels.clear();
        live.rates.clear();
        live.feed_.restart();
        live.lastNs_ = -1;
        live.problem.clear();
    }
    for (const Sample& sample : samples) {
        if (sample.tNs > live.lastNs_) {
            live.lastNs_ = sample.tNs;
            live.feed_.feed(sample, live.levels);
        }
    }
}

void LiveStore::runEnded(const RunRecord& record) {
    if (record.arm >= arms_.size()) {
        return;
    }
    LiveArm& live = arms_[record.arm];
    live.running = false;
    live.fresh_ = false;
    live.phase = record.phase;
    live.round = record.round;
    if (!isGood(record)) {
        live.problem = QString::fromStdString(record.error);
        return;
    }
    live.problem.clear();
    if (record.mapping) {
        live.inspected = record.mapping;
    }
    live.finished = true;
    live.wall = record.wall;
    live.bytes = record.bytesIn.count();
    live.minorFaults = record.minorFaults;
    live.majorFaults = record.majorFaults;
    live.window = rateWindow(record.stamps);
    fillRates(record.stamps, live.rates);

    live.levels.clear();
    live.feed_.restart();
    live.lastNs_ = -1;
    std::size_t left = record.sampling.samples.size();
    for (const Sample& sample : record.sampling.samples) {
        --left;
        if (sample.tNs > live.lastNs_) {
            live.lastNs_ = sample.tNs;
            live.feed_.feed(sample, live.levels, left == 0);
        }
    }
    if (record.wall.count() > live.lastNs_) {
        live.feed_.feed(closing(record), live.levels);
    }
}

void LiveStore::showStudy(const Study& study) {
    std::vector<bool> visible;
    for (const LiveArm& arm : arms_) {
        visible.push_back(arm.visible);
    }
    const bool sameArms =
        std::equal(arms_.begin(), arms_.end(), study.arms.begin(), study.arms.end(),
                   [](const LiveArm& a, const Arm& b) { return a.id.toStdString() == b.id; });
    begin(study);
    for (std::uint32_t arm = 0; arm < arms_.size(); ++arm) {
        if (sameArms) {
            arms_[arm].visible = visible[arm];
        }
        const RunRecord* best = nullptr;
        const RunRecord* last = nullptr;
        for (const RunRecord& run : study.runs) {
            if (run.arm != arm) {
                continue;
            }
            last = &run;
            if (isGood(run) && run.mapping) {
                arms_[arm].inspected = run.mapping;
            }
            if (isGood(run) &&
                (best == nullptr || run.phase == Phase::measured || best->phase != Phase::measured)) {
                best = &run;
            }
        }
        if (best != nullptr) {
            runEnded(*best);
        } else if (last != nullptr) {
            runEnded(*last);
        }
    }
}

void LiveStore::setVisible(std::uint32_t arm, bool visible) {
    if (arm < arms_.size()) {
        arms_[arm].visible = visible;
    }
}

bool LiveStore::hasPoints() const {
    return std::any_of(arms_.begin(), arms_.end(), [](const LiveArm& arm) { return arm.hasPoints(); });
}

bool LiveStore::hasFinished() const {
    return std::any_of(arms_.begin(), arms_.end(),
                       [](const LiveArm& arm) { return arm.finished && arm.hasPoints(); });
}

double LiveStore::longestSeconds() const {
    double longest = 0;
    for (const LiveArm& arm : arms_) {
        longest = std::max(longest, arm.visible ? arm.endSeconds() : 0.0);
    }
    return longest;
}

double LiveStore::mostBytes() const {
    double most = 0;
    for (const LiveArm& arm : arms_) {
        for (const LiveTrack* track : {&arm.levels, &arm.rates}) {
            if (arm.visible && !track->isEmpty()) {
                most = std::max(most, track->rows().back().bytes);
            }
        }
    }
    return most;
}

std::size_t LiveStore::keptPoints() const {
    std::size_t points = 0;
    for (const LiveArm& arm : arms_) {
        points += arm.levels.rows().size() + arm.rates.rows().size();
    }
    return points;
}

}  // namespace mmapscope
