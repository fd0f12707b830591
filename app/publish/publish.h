// Plots and pages of a study to take away, drawn without a display. The same for the window and the commands;
// no Qt in this header: where the program is built without the window's libraries, both say so instead.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"
#include "report/formats.h"
#include "study/study.h"

namespace mmapscope {

enum class PlotKind { throughput, faults, memory, ratio, why, sweep, faultMap };

struct PlotKindFacts {
    PlotKind kind;
    std::string_view name;  ///< as `--plot` takes it
    std::string_view what;  ///< in a few words
};
[[nodiscard]] std::span<const PlotKindFacts> plotKinds();
[[nodiscard]] const PlotKindFacts& factsOf(PlotKind kind);

/// svg and pdf are vectors throughout, but for the fault map's dots.
enum class PlotFormat { svg, png, pdf };
/// By the file's suffix. Error: usage.
[[nodiscard]] Result<PlotFormat> plotFormatOf(std::string_view path);
[[nodiscard]] std::string_view suffixOf(PlotFormat format);

struct PlotOptions {
    static constexpr int kLeastWidth = 320, kLeastHeight = 240, kMostSide = 8000;
    static constexpr double kLeastScale = 0.25, kMostScale = 8;
    /// Pixels of a PNG, all in all.
    static constexpr double kMostPixels = 100e6;

    PlotKind kind = PlotKind::ratio;
    PlotFormat format = PlotFormat::svg;
    int width = 1200;  ///< in 1/96 inch
    int height = 0;    ///< likewise; 0: what suits the picture at that width
    double scale = 1;  ///< pixels of a PNG for each of those; size of the other formats
    bool dark = false;
};
/// Whether size and scale lie within their bounds. Error: usage, with the bounds.
[[nodiscard]] Status checkPlotOptions(const PlotOptions& options);

/// Whether plots can be drawn by this program, here. Error: unavailable, with the reason.
[[nodiscard]] Status checkDrawing();

/// Whether the study has what the plot shows. Error: unavailable, with why not and what to do.
[[nodiscard]] Status checkPlot(const Study& study, PlotKind kind);

/// The content of the file. To be called on the main thread. Error: as checkPlotOptions, checkDrawing,
/// checkPlot.
[[nodiscard]] Result<std::string> plotOf(const std::shared_ptr<const Study>& study,
                                         const PlotOptions& options);

/// The study in one of the formats of reportFormats(). html draws, so it is to be called on the main thread.
/// Error: as checkDrawing, for html.
[[nodiscard]] Result<std::string> reportOf(const std::shared_ptr<const Study>& study, ReportFormat format);

}  // namespace mmapscope
