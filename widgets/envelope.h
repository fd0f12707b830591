// Fewer points, the same picture: what is drawn is bounded by the width of the plot, and no spike is lost.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mmapscope {

struct PlotPoint {
    double x = 0;
    double y = 0;  ///< NaN: a gap

    friend bool operator==(const PlotPoint&, const PlotPoint&) = default;
};

/// The points of [low, high] and one neighbour on each side, so that lines reach the border. At most two a
/// column (the lowest and the highest, in their order) and the two neighbours. `points` are sorted by x;
/// columns ≥ 1.
[[nodiscard]] std::vector<PlotPoint> envelope(std::span<const PlotPoint> points, double low, double high,
                                              std::size_t columns);

}  // namespace mmapscope
