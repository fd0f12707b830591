#include "widgets/envelope.h"

#include <algorithm>
#include <cmath>

namespace mmapscope {

namespace {

/// Index of the lowest and highest value of [begin, end); both `end` when there are only gaps.
std::pair<std::size_t, std::size_t> extremes(std::span<const PlotPoint> points, std::size_t begin,
                                             std::size_t end) {
    std::size_t lowest = end;
    std::size_t highest = end;
    for (std::size_t i = begin; i < end; ++i) {
        if (std::isnan(points[i].y)) {
            continue;
        }
        if (lowest == end || points[i].y < points[lowest].y) {
            lowest = i;
        }
        if (highest == end || points[i].y > points[highest].y) {
            highest = i;
        }
    }
    return {lowest, highest};
}

}  // namespace

std::vector<PlotPoint> envelope(std::span<const PlotPoint> points, double low, double high,
                                std::size_t columns) {
    std::vector<PlotPoint> out;
    if (points.empty() || !(low < high)) {
        return out;
    }
    const auto byX = [](const PlotPoint& point, double x) { return point.x < x; };
    const auto xBy = [](double x, const PlotPoint& point) { return x < point.x; };
    const auto first = static_cast<std::size_t>(
        std::distance(points.begin(), std::lower_bound(points.begin(), points.end(), low, byX)));
    const auto last = static_cast<std::size_t>(
        std::distance(points.begin(), std::upper_bound(points.begin(), points.end(), high, xBy)));
    if (first > 0) {
        out.push_back(points[first - 1]);
    }
    if (last - first <= 2 * columns) {
        out.insert(out.end(), points.begin() + static_cast<std::ptrdiff_t>(first),
                   points.begin() + static_cast<std::ptrdiff_t>(last));
    } else {
        const double perX = static_cast<double>(columns) / (high - low);
        const auto columnOf = [&](const PlotPoint& point) {
            return std::min(columns - 1, static_cast<std::size_t>((point.x - low) * perX));
        };
        std::size_t begin = first;
        while (begin < last) {
            const std::size_t column = columnOf(points[begin]);
            std::size_t end = begin + 1;
            while (end < last && columnOf(points[end]) == column) {
                ++end;
            }
            const auto [lowest, highest] = extremes(points, begin, end);
            if (lowest == end) {
                out.push_back(points[begin]);
            } else {
                out.push_back(points[std::min(lowest, highest)]);
                if (lowest != highest) {
                    out.push_back(points[std::max(lowest, highest)]);
                }
            }
            begin = end;
        }
    }
    if (last < points.size()) {
        out.push_back(points[last]);
    }
    return out;
}

}  // namespace mmapscope
