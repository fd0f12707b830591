#include "widgets/fault_raster.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace mmapscope {

namespace {

/// Up to so many faults in view, dots are that large.
constexpr std::uint64_t kFewFaults = 1500;
constexpr std::uint64_t kSomeFaults = 15000;
/// Past so many triangles nobody can tell their shape, and drawing them would cost frames.
constexpr std::size_t kMostTriangles = 40000;

/// A value as a place on [0, pixels), or outside of it.
struct Scale {
    double begin;
    double perUnit;

    Scale(double from, double to, int pixels) : begin(from), perUnit(to > from ? pixels / (to - from) : 0) {}
    [[nodiscard]] double operator()(double value) const { return (value - begin) * perUnit; }
};

/// An image's pixels; QImage's own calls ask at every pixel whether the image is shared.
class Canvas {
  public:
    explicit Canvas(QImage& image)
        : pixels_(reinterpret_cast<QRgb*>(image.bits())), width_(image.width()), height_(image.height()) {}

    /// Its middle, or for an even edge the pixel left above it, at (x, y).
    void square(int x, int y, int edge, QRgb colour) {
        const int left = std::max(0, x - (edge - 1) / 2);
        const int right = std::min(width_, x - (edge - 1) / 2 + edge);
        const int top = std::max(0, y - (edge - 1) / 2);
        const int bottom = std::min(height_, y - (edge - 1) / 2 + edge);
        for (int i = top; i < bottom; ++i) {
            QRgb* const line = row(i);
            for (int j = left; j < right; ++j) {
                line[j] = colour;
            }
        }
    }
    /// Standing on its base, its middle at (x, y).
    void triangle(int x, int y, int edge, QRgb colour) {
        for (int i = 0; i < edge; ++i) {
            const int line = y - edge / 2 + i;
            const int half = i * (edge / 2) / std::max(1, edge - 1);
            if (line >= 0 && line < height_) {
                std::fill(row(line) + std::clamp(x - half, 0, width_),
                          row(line) + std::clamp(x + half + 1, 0, width_), colour);
            }
        }
    }
    [[nodiscard]] QRgb* row(int y) { return pixels_ + static_cast<std::ptrdiff_t>(y) * width_; }

  private:
    QRgb* pixels_;  ///< rows of 32-bit pixels follow each other without a gap
    int width_, height_;
};

QImage transparent(int width, int height, double devicePixelRatio) {
    QImage image(width, height, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(devicePixelRatio);
    image.fill(Qt::transparent);
    return image;
}

int scaled(int edge, double devicePixelRatio) {
    return std::max(2, static_cast<int>(std::lround(edge * devicePixelRatio)));
}

}  // namespace

QPointF pixelOf(const FaultTrace& trace, std::size_t fault, const FaultView& view) {
    const Scale x(view.beginNs, view.endNs, view.width);
    const Scale y(view.beginByte, view.endByte, view.height);
    return {x(static_cast<double>(trace.tNs[fault])),
            view.height - y(static_cast<double>(trace.offset[fault]))};
}

FaultSpan faultsBetween(const FaultTrace& trace, double beginNs, double endNs) {
    const auto first =
        std::lower_bound(trace.tNs.begin(), trace.tNs.end(), beginNs,
                         [](std::int64_t time, double border) { return static_cast<double>(time) < border; });
    const auto last = std::upper_bound(first, trace.tNs.end(), endNs, [](double border, std::int64_t time) {
        return border < static_cast<double>(time);
    });
    return {static_cast<std::size_t>(first - trace.tNs.begin()),
            static_cast<std::size_t>(last - trace.tNs.begin())};
}

FaultTotals totalsOf(const FaultTrace& trace) {
    FaultTotals totals;
    for (std::size_t i = 0; i < trace.offset.size(); ++i) {
        const bool elsewhere = trace.offset[i] == FaultTrace::kElsewhere;
        totals.elsewhere += elsewhere ? 1 : 0;
        totals.major += !elsewhere && trace.major[i] != 0 ? 1 : 0;
        totals.minor += !elsewhere && trace.major[i] == 0 ? 1 : 0;
    }
    return totals;
}

void FaultRaster::count(const FaultTrace& trace, const FaultView& view, FaultHue hue) {
    view_ = view;
    hue_ = hue;
    totals_ = {};
    const auto width = static_cast<std::size_t>(std::max(0, view.width));
    const auto height = static_cast<std::size_t>(std::max(0, view.height));
    cells_.assign(width * height, 0);
    marks_.assign(width * height, 0);
    elsewhere_.assign(width, 0);
    if (width == 0 || height == 0) {
        return;
    }
    const Scale scaleX(view.beginNs, view.endNs, view.width);
    const Scale scaleY(view.beginByte, view.endByte, view.height);
    const auto [first, last] = faultsBetween(trace, view.beginNs, view.endNs);
    for (std::size_t i = first; i < last; ++i) {
        // The right border belongs to the last pixel, so that the borders count the same everywhere.
        const auto x =
            std::min(width - 1, static_cast<std::size_t>(scaleX(static_cast<double>(trace.tNs[i]))));
        const std::uint64_t offset = trace.offset[i];
        if (offset == FaultTrace::kElsewhere) {
            ++elsewhere_[x];
            ++totals_.elsewhere;
            continue;
        }
        const double up = scaleY(static_cast<double>(offset));
        if (!(up >= 0) || up >= static_cast<double>(height)) {
            continue;
        }
        const std::size_t cell = (height - 1 - static_cast<std::size_t>(up)) * width + x;
        const bool major = trace.major[i] != 0;
        ++cells_[cell];
        const auto thread =
            hue == FaultHue::thread ? trace.thread[i] % static_cast<std::uint32_t>(Theme::kArmColors) : 0;
        marks_[cell] = static_cast<std::uint8_t>((marks_[cell] & kMajor) | thread | (major ? kMajor : 0U));
        totals_.major += major ? 1 : 0;
        totals_.minor += major ? 0 : 1;
    }
}

int FaultRaster::dotSize(double devicePixelRatio) const {
    const std::uint64_t faults = totals_.inFile();
    return scaled(faults <= kFewFaults ? 5 : faults <= kSomeFaults ? 3 : 2, devicePixelRatio);
}

FaultRaster::Ramp FaultRaster::rampOf(const QColor& hue, const QColor& strongest, std::uint32_t most) {
    // A lone fault has the hue as it is, which stands out from the ground; more of them go on from there.
    constexpr double kFurthest = 0.6;
    const auto bits = static_cast<double>(std::max(3U, std::bit_width(most)));
    Ramp ramp{};
    for (int level = 1; level < static_cast<int>(kLevels); ++level) {
        const double share = kFurthest * std::min(1.0, (level - 1.0) / (bits - 1));
        const auto mix = [share](int from, int to) {
            return static_cast<int>(std::lround(from + (to - from) * share));
        };
        ramp[static_cast<std::size_t>(level)] =
            qRgb(mix(hue.red(), strongest.red()), mix(hue.green(), strongest.green()),
                 mix(hue.blue(), strongest.blue()));
    }
    return ramp;
}

QImage FaultRaster::paint(const Theme& theme, double devicePixelRatio) const {
    QImage image = transparent(view_.width, view_.height, devicePixelRatio);
    if (cells_.empty() || totals_.inFile() == 0) {
        return image;
    }
    const std::uint32_t most = *std::max_element(cells_.begin(), cells_.end());
    std::array<Ramp, Theme::kArmColors> ramps{};
    for (int i = 0; i < Theme::kArmColors; ++i) {
        const QColor hue = hue_ == FaultHue::kind ? theme.minorFault() : theme.armColor(i);
        ramps[static_cast<std::size_t>(i)] = rampOf(hue, theme.text(), most);
    }
    const Ramp majorRamp = rampOf(theme.majorFault(), theme.text(), most);
    const int edge = dotSize(devicePixelRatio);
    Canvas canvas(image);
    const auto width = static_cast<std::size_t>(view_.width);
    std::vector<std::size_t> majors;
    for (std::size_t row = 0, cell = 0; row < static_cast<std::size_t>(view_.height); ++row) {
        for (std::size_t column = 0; column < width; ++column, ++cell) {
            if (cells_[cell] == 0) {
                continue;
            }
            if ((marks_[cell] & kMajor) != 0) {
                majors.push_back(cell);  // above all others
                continue;
            }
            canvas.square(static_cast<int>(column), static_cast<int>(row), edge,
                          ramps[marks_[cell]][static_cast<std::size_t>(std::bit_width(cells_[cell]))]);
        }
    }
    const bool shapes = majors.size() <= kMostTriangles;
    const int triangle = (edge + scaled(4, devicePixelRatio)) | 1;
    for (const std::size_t cell : majors) {
        const std::size_t mark = marks_[cell] & ~std::size_t{kMajor};
        const Ramp& ramp = hue_ == FaultHue::kind ? majorRamp : ramps[mark];
        const QRgb colour = ramp[static_cast<std::size_t>(std::bit_width(cells_[cell]))];
        const int x = static_cast<int>(cell % width);
        const int y = static_cast<int>(cell / width);
        if (shapes) {
            canvas.triangle(x, y, triangle, colour);
        } else {
            canvas.square(x, y, edge, colour);
        }
    }
    return image;
}

QImage FaultRaster::paintElsewhere(const Theme& theme, double devicePixelRatio, int height) const {
    QImage image = transparent(view_.width, height, devicePixelRatio);
    if (elsewhere_.empty() || totals_.elsewhere == 0) {
        return image;
    }
    const Ramp ramp =
        rampOf(theme.mutedText(), theme.text(), *std::max_element(elsewhere_.begin(), elsewhere_.end()));
    const int edge = scaled(2, devicePixelRatio);
    Canvas canvas(image);
    for (std::size_t x = 0; x < elsewhere_.size(); ++x) {
        if (elsewhere_[x] == 0) {
            continue;
        }
        const QRgb colour = ramp[static_cast<std::size_t>(std::bit_width(elsewhere_[x]))];
        for (int y = 0; y < height; ++y) {
            QRgb* const line = canvas.row(y);
            const auto end = std::min(elsewhere_.size(), x + static_cast<std::size_t>(edge));
            std::fill(line + x, line + end, colour);
        }
    }
    return image;
}

std::optional<std::size_t> nearestFault(const FaultTrace& trace, const FaultView& view, QPointF place,
                                        double reach, bool inFile) {
    const Scale scaleX(view.beginNs, view.endNs, view.width);
    const Scale scaleY(view.beginByte, view.endByte, view.height);
    if (scaleX.perUnit == 0 || scaleY.perUnit == 0) {
        return std::nullopt;
    }
    double best = reach;
    std::optional<std::size_t> found;
    // Outwards from the place's time, until time alone is further away than the best so far.
    const auto look = [&](std::size_t i) {
        const double dx = scaleX(static_cast<double>(trace.tNs[i])) - place.x();
        if (std::abs(dx) > best) {
            return false;
        }
        if ((trace.offset[i] != FaultTrace::kElsewhere) != inFile) {
            return true;
        }
        const double up = inFile ? scaleY(static_cast<double>(trace.offset[i])) : 0;
        const bool seen = !inFile || (up >= 0 && up <= view.height);
        const double distance = inFile ? std::hypot(dx, view.height - up - place.y()) : std::abs(dx);
        if (seen && (found ? distance < best : distance <= best)) {
            best = distance;
            found = i;
        }
        return true;
    };
    const double time = view.beginNs + place.x() / scaleX.perUnit;
    const std::size_t middle = faultsBetween(trace, time, time).first;
    for (std::size_t i = middle; i < trace.tNs.size() && look(i); ++i) {
    }
    for (std::size_t i = middle; i > 0 && look(i - 1); --i) {
    }
    return found;
}

}  // namespace mmapscope
