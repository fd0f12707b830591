// A fault trace as a picture: faults are counted per pixel of the visible part, so that a million of them
// cost a frame no more than its pixels and one pass over those in view.
#pragma once

#include <QColor>
#include <QImage>
#include <QPointF>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "run/run_record.h"
#include "widgets/theme.h"

namespace mmapscope {

/// What part of a trace is shown: time to the right, file offsets upwards.
struct FaultView {
    double beginNs = 0, endNs = 1;
    double beginByte = 0, endByte = 1;
    int width = 0, height = 0;  ///< device pixels

    friend bool operator==(const FaultView&, const FaultView&) = default;
};

/// Where a fault lies in the view's pixels, from its left upper corner; not limited to the view.
[[nodiscard]] QPointF pixelOf(const FaultTrace& trace, std::size_t fault, const FaultView& view);

/// The faults of [beginNs, endNs], as indices [first, last). Precondition: in order of time.
struct FaultSpan {
    std::size_t first = 0, last = 0;
};
[[nodiscard]] FaultSpan faultsBetween(const FaultTrace& trace, double beginNs, double endNs);

enum class FaultHue { kind, thread };

struct FaultTotals {
    std::uint64_t minor = 0, major = 0;  ///< in the file
    std::uint64_t elsewhere = 0;

    [[nodiscard]] std::uint64_t inFile() const { return minor + major; }
    friend bool operator==(const FaultTotals&, const FaultTotals&) = default;
};
[[nodiscard]] FaultTotals totalsOf(const FaultTrace& trace);

class FaultRaster {
  public:
    /// Precondition: the trace is in order of time.
    void count(const FaultTrace& trace, const FaultView& view, FaultHue hue);

    /// Faults per pixel, row by row from the top; their sum is totals().inFile().
    [[nodiscard]] std::span<const std::uint32_t> cells() const { return cells_; }
    /// Faults outside the file, per column of pixels.
    [[nodiscard]] std::span<const std::uint32_t> elsewhere() const { return elsewhere_; }
    [[nodiscard]] const FaultTotals& totals() const { return totals_; }  ///< those in view
    /// Edge of a minor fault's square, device pixels: smaller where faults crowd, never under two.
    [[nodiscard]] int dotSize(double devicePixelRatio) const;

    /// Minor faults as squares and major ones as triangles on a transparent ground; pixels that hold more
    /// faults stand out more.
    [[nodiscard]] QImage paint(const Theme& theme, double devicePixelRatio) const;
    /// The strip of faults elsewhere: columns of that height.
    [[nodiscard]] QImage paintElsewhere(const Theme& theme, double devicePixelRatio, int height) const;

  private:
    static constexpr std::uint8_t kMajor = 0x80;
    static constexpr std::size_t kLevels = 33;  ///< of density: the bits of a count
    using Ramp = std::array<QRgb, kLevels>;
    [[nodiscard]] static Ramp rampOf(const QColor& hue, const QColor& strongest, std::uint32_t most);

    FaultView view_;
    FaultHue hue_ = FaultHue::kind;
    FaultTotals totals_;
    std::vector<std::uint32_t> cells_;
    std::vector<std::uint8_t> marks_;  ///< hue of a cell's last fault, and whether it had a major one
    std::vector<std::uint32_t> elsewhere_;
};

/// The fault nearest to a place in the view's pixels, within `reach` of it; `inFile`: of the file's faults,
/// else of the others, by time alone. Precondition: in order of time.
[[nodiscard]] std::optional<std::size_t> nearestFault(const FaultTrace& trace, const FaultView& view,
                                                      QPointF place, double reach, bool inFile);

}  // namespace mmapscope
