#include "widgets/stamp_rates.h"

#include <algorithm>

namespace mmapscope {

namespace {

std::size_t sizeOf(const Stamps& stamps) {
    return std::min({stamps.tNs.size(), stamps.bytes.size(), stamps.minorFaults.size()});
}

struct Totals {
    double seconds, bytes, minorFaults;
};

std::vector<Totals> orderedTotals(const Stamps& stamps) {
    std::vector<Totals> totals;
    totals.reserve(sizeOf(stamps) + 1);
    totals.push_back({0, 0, 0});
    for (std::size_t i = 0; i < sizeOf(stamps); ++i) {
        const Totals& before = totals.back();
        totals.push_back({std::max(before.seconds, static_cast<double>(stamps.tNs[i]) / 1e9),
                          std::max(before.bytes, static_cast<double>(stamps.bytes[i])),
                          std::max(before.minorFaults, static_cast<double>(stamps.minorFaults[i]))});
    }
    return totals;
}

/// Totals at a time, linear between stamps; times must be asked for in rising order.
class Walk {
  public:
    explicit Walk(const std::vector<Totals>& totals) : totals_(totals) {}

    Totals at(double seconds) {
        while (next_ + 1 < totals_.size() && totals_[next_].seconds < seconds) {
            ++next_;
        }
        const Totals& a = totals_[next_ == 0 ? 0 : next_ - 1];
        const Totals& b = totals_[next_];
        const double width = b.seconds - a.seconds;
        const double share = width > 0 ? std::clamp((seconds - a.seconds) / width, 0.0, 1.0) : 1.0;
        return {seconds, a.bytes + (b.bytes - a.bytes) * share,
                a.minorFaults + (b.minorFaults - a.minorFaults) * share};
    }

  private:
    const std::vector<Totals>& totals_;
    std::size_t next_ = 0;
};

}  // namespace

Nanoseconds rateWindow(const Stamps& stamps) {
    const std::size_t size = sizeOf(stamps);
    if (size < 2 || stamps.tNs[size - 1] <= 0) {
        return Nanoseconds(0);
    }
    std::vector<std::int64_t> distances;
    distances.reserve(size);
    for (std::size_t i = 1; i < size; ++i) {
        distances.push_back(std::max<std::int64_t>(stamps.tNs[i] - stamps.tNs[i - 1], 0));
    }
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    const std::int64_t wall = stamps.tNs[size - 1];
    return Nanoseconds(std::clamp<std::int64_t>(std::max(wall / 64, *middle * 8), 1, wall));
}

std::vector<RateRow> ratesOf(const Stamps& stamps, std::size_t count) {
    const std::vector<Totals> totals = orderedTotals(stamps);
    const double wall = totals.back().seconds;
    const double window = static_cast<double>(rateWindow(stamps).count()) / 1e9;
    if (totals.size() < 3 || wall <= 0 || window <= 0 || count < 2) {
        return {};
    }
    Walk begin(totals);
    Walk middle(totals);
    Walk end(totals);
    std::vector<RateRow> rows;
    rows.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const double t = wall * static_cast<double>(i) / static_cast<double>(count - 1);
        const double from = std::max(0.0, t - window / 2);
        const double to = std::min(wall, t + window / 2);
        const Totals a = begin.at(from);
        const Totals here = middle.at(t);
        const Totals b = end.at(to);
        rows.push_back({t, here.bytes, (b.bytes - a.bytes) / (to - from), here.minorFaults,
                        (b.minorFaults - a.minorFaults) / (to - from)});
    }
    return rows;
}

}  // namespace mmapscope
