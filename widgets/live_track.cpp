#include "widgets/live_track.h"

#include <algorithm>
#include <cmath>

namespace mmapscope {

namespace {

double known(std::uint64_t value) {
    return value == kNotAvailable ? kAbsent : static_cast<double>(value);
}

/// The sum of what is available; absent when neither is.
double sumOfKnown(std::uint64_t a, std::uint64_t b) {
    if (a == kNotAvailable || b == kNotAvailable) {
        return known(a == kNotAvailable ? b : a);
    }
    return static_cast<double>(a) + static_cast<double>(b);
}

double difference(std::uint64_t later, std::uint64_t earlier) {
    return later > earlier ? static_cast<double>(later - earlier) : 0.0;
}

/// Absent until smaps was looked at: HugetlbPages alone would deny what the file's huge folios back.
double hugeBackedOf(const Sample& sample) {
    if (sample.anonHuge == kNotAvailable) {
        return kAbsent;
    }
    double sum = 0;
    for (const std::uint64_t part :
         {sample.anonHuge, sample.filePmdMapped, sample.shmemPmdMapped, sample.hugetlb}) {
        sum += part == kNotAvailable ? 0.0 : static_cast<double>(part);
    }
    return sum;
}

/// In the order of SampleFeed's counters.
constexpr std::array kRates{LiveColumn::throughput,  LiveColumn::minorRate,     LiveColumn::majorRate,
                            LiveColumn::storageRate, LiveColumn::voluntaryRate, LiveColumn::involuntaryRate};
constexpr std::size_t kStorage = 3;
static_assert(kRates[kStorage] == LiveColumn::storageRate);

struct MachineTotal {
    std::uint64_t Sample::*total;
    LiveColumn column;
    bool share;  ///< µs, shown as % of time
};
constexpr std::array kMachine{
    MachineTotal{&Sample::tlbShootdowns, LiveColumn::shootdownRate, false},
    MachineTotal{&Sample::workingsetRefaults, LiveColumn::refaultRate, false},
    MachineTotal{&Sample::pressureMemoryUs, LiveColumn::memoryPressure, true},
    MachineTotal{&Sample::pressureIoUs, LiveColumn::ioPressure, true},
};

}  // namespace

void LiveTrack::append(const LiveRow& row) {
    if (rows_.size() >= kMaxRows) {
        thin();
    }
    rows_.push_back(row);
}

void LiveTrack::thin() {
    // Four rows become two that hold, column by column, the lowest and highest in the order they came.
    std::size_t out = 0;
    std::size_t in = 0;
    for (; in + 4 <= rows_.size(); in += 4) {
        LiveRow first = rows_[in];
        LiveRow second = rows_[in + 3];
        for (std::size_t column = 0; column < kLiveColumns; ++column) {
            std::size_t lowest = in;
            std::size_t highest = in;
            for (std::size_t i = in; i < in + 4; ++i) {
                const double value = rows_[i].values[column];
                if (std::isnan(rows_[lowest].values[column]) || value < rows_[lowest].values[column]) {
                    lowest = i;
                }
                if (std::isnan(rows_[highest].values[column]) || value > rows_[highest].values[column]) {
                    highest = i;
                }
            }
            first.values[column] = rows_[std::min(lowest, highest)].values[column];
            second.values[column] = rows_[std::max(lowest, highest)].values[column];
        }
        rows_[out++] = first;
        rows_[out++] = second;
    }
    while (in < rows_.size()) {
        rows_[out++] = rows_[in++];
    }
    rows_.resize(out);
}

void LiveTrack::fillFrom(double seconds, bool inclusive, LiveColumn column, double value) {
    for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) {
        if (row->seconds < seconds || (row->seconds == seconds && !inclusive)) {
            break;
        }
        (*row)[column] = value;
    }
}

std::vector<PlotPoint> LiveTrack::series(LiveColumn column, bool bytesAxis, double scale,
                                         double untilSeconds) const {
    std::vector<PlotPoint> points;
    points.reserve(rows_.size());
    bool any = false;
    for (const LiveRow& row : rows_) {
        if (row.seconds > untilSeconds) {
            break;
        }
        any = any || !std::isnan(row[column]);
        points.push_back({bytesAxis ? row.bytes : row.seconds, row[column] * scale});
    }
    if (!any) {
        points.clear();
    }
    return points;
}

double LiveTrack::highest(LiveColumn column) const {
    double highest = kAbsent;
    for (const LiveRow& row : rows_) {
        if (!std::isnan(row[column]) && !(row[column] <= highest)) {
            highest = row[column];
        }
    }
    return highest;
}

SampleFeed::Counters SampleFeed::countersOf(const Sample& sample) {
    return {sample.tNs,
            {sample.bytesIn, sample.minorFaults, sample.majorFaults, sample.storageRead,
             sample.voluntarySwitches, sample.involuntarySwitches}};
}

SampleFeed::Counters SampleFeed::atStart() {
    Counters counters;
    counters.values[kStorage] = kNotAvailable;  // counts since the process began, not since the run did
    return counters;
}

void SampleFeed::restart() {
    recent_.assign(1, atStart());
    before_ = from_ = seen_ = {};
}

void SampleFeed::addRates(const Counters& now, LiveRow& row) {
    // Keep the newest total that is a full window old, and all younger ones.
    const auto oldEnough = [&](const Counters& totals) { return now.tNs - totals.tNs >= kWindow.count(); };
    while (recent_.size() > 1 && oldEnough(recent_[1])) {
        recent_.erase(recent_.begin());
    }
    for (std::size_t i = 0; i < kCounters; ++i) {
        const auto from = std::find_if(recent_.begin(), recent_.end(), [&](const Counters& totals) {
            return totals.values[i] != kNotAvailable;
        });
        if (from == recent_.end() || now.values[i] == kNotAvailable) {
            continue;
        }
        if (const double span = static_cast<double>(now.tNs - from->tNs) / 1e9; span > 0) {
            row[kRates[i]] = difference(now.values[i], from->values[i]) / span;
        }
    }
}

void SampleFeed::keep(const Counters& now) {
    constexpr std::size_t kMostRecent = 64;  // a sampler faster than the window divided by this is thinned
    if (recent_.size() < kMostRecent) {
        recent_.push_back(now);
    } else {
        recent_.back() = now;
    }
}

void SampleFeed::feed(const Sample& sample, LiveTrack& track, bool last) {
    LiveRow row;
    row.seconds = static_cast<double>(sample.tNs) / 1e9;
    row.bytes = static_cast<double>(sample.bytesIn);
    const Counters now = countersOf(sample);
    addRates(now, row);
    row[LiveColumn::minorTotal] = static_cast<double>(sample.minorFaults);
    row[LiveColumn::majorTotal] = static_cast<double>(sample.majorFaults);
    row[LiveColumn::anon] = known(sample.rssAnon);
    row[LiveColumn::file] = known(sample.rssFile);
    row[LiveColumn::shmem] = known(sample.rssShmem);
    row[LiveColumn::huge] = known(sample.hugetlb);
    row[LiveColumn::hugeBacked] = hugeBackedOf(sample);
    row[LiveColumn::pageTables] = known(sample.pageTables);
    row[LiveColumn::thpEligible] = known(sample.thpEligible);
    row[LiveColumn::anonHuge] = known(sample.anonHuge);
    row[LiveColumn::pmdMapped] = sumOfKnown(sample.filePmdMapped, sample.shmemPmdMapped);
    row[LiveColumn::poolFree] = known(sample.poolFree) * static_cast<double>(kHugePage.count());
    row[LiveColumn::poolTotal] = known(sample.poolTotal) * static_cast<double>(kHugePage.count());
    track.append(row);
    keep(now);
    feedMachine(sample, track, last);
}

void SampleFeed::feedMachine(const Sample& sample, LiveTrack& track, bool last) {
    Machine now{sample.tNs, {}};
    for (std::size_t i = 0; i < kMachineTotals; ++i) {
        now.values[i] = sample.*kMachine[i].total;
    }
    // Nothing tells a repeated figure from one that was looked at again and hadn't moved: only a change does,
    // and at the end the fresh look. When that change happened is known to a sample, so of samples that are
    // far apart (a long run keeps few) more have to pass.
    const std::int64_t step = now.tNs - seen_.tNs;
    const bool fresh = last || now.values != seen_.values;
    seen_ = now;
    const std::int64_t needed = std::max<std::int64_t>(kMachineWindow.count(), 10 * step);
    if (!fresh || (!last && now.tNs - from_.tNs < needed)) {
        return;
    }
    // A rest too short for a mean of its own is told together with what came before it.
    const Machine& from = now.tNs - from_.tNs < needed ? before_ : from_;
    const std::int64_t span = now.tNs - from.tNs;
    for (std::size_t i = 0; i < kMachineTotals && span > 0; ++i) {
        if (now.values[i] == kNotAvailable || from.values[i] == kNotAvailable) {
            continue;
        }
        const double total = difference(now.values[i], from.values[i]);
        const double rate = kMachine[i].share ? std::min(100.0, total * 1e5 / static_cast<double>(span))
                                              : total * 1e9 / static_cast<double>(span);
        track.fillFrom(static_cast<double>(from.tNs) / 1e9, from.tNs == 0, kMachine[i].column, rate);
    }
    before_ = from_;
    from_ = now;
}

}  // namespace mmapscope
