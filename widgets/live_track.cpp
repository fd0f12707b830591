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

void SampleFeed::restart() {
    recent_.assign(1, Totals{});
}

void SampleFeed::feed(const Sample& sample, LiveTrack& track) {
    // Keep the newest total that is a full window old, and all younger ones.
    const auto oldEnough = [&](const Totals& totals) { return sample.tNs - totals.tNs >= kWindow.count(); };
    while (recent_.size() > 1 && oldEnough(recent_[1])) {
        recent_.erase(recent_.begin());
    }
    const Totals& from = recent_.front();
    LiveRow row;
    row.seconds = static_cast<double>(sample.tNs) / 1e9;
    row.bytes = static_cast<double>(sample.bytesIn);
    if (const double span = static_cast<double>(sample.tNs - from.tNs) / 1e9; span > 0) {
        row[LiveColumn::throughput] = difference(sample.bytesIn, from.bytes) / span;
        row[LiveColumn::minorRate] = difference(sample.minorFaults, from.minorFaults) / span;
        row[LiveColumn::majorRate] = difference(sample.majorFaults, from.majorFaults) / span;
    }
    row[LiveColumn::minorTotal] = static_cast<double>(sample.minorFaults);
    row[LiveColumn::majorTotal] = static_cast<double>(sample.majorFaults);
    row[LiveColumn::anon] = known(sample.rssAnon);
    row[LiveColumn::file] = sumOfKnown(sample.rssFile, sample.rssShmem);
    row[LiveColumn::huge] = known(sample.hugetlb);
    row[LiveColumn::pageTables] = known(sample.pageTables);
    row[LiveColumn::thpEligible] = known(sample.thpEligible);
    row[LiveColumn::anonHuge] = known(sample.anonHuge);
    row[LiveColumn::pmdMapped] = sumOfKnown(sample.filePmdMapped, sample.shmemPmdMapped);
    row[LiveColumn::poolFree] = known(sample.poolFree) * static_cast<double>(kHugePage.count());
    row[LiveColumn::poolTotal] = known(sample.poolTotal) * static_cast<double>(kHugePage.count());
    track.append(row);

    constexpr std::size_t kMostRecent = 64;  // a sampler faster than the window divided by this is thinned
    if (recent_.size() < kMostRecent) {
        recent_.push_back({sample.tNs, sample.bytesIn, sample.minorFaults, sample.majorFaults});
    } else {
        recent_.back() = {sample.tNs, sample.bytesIn, sample.minorFaults, sample.majorFaults};
    }
}

}  // namespace mmapscope
