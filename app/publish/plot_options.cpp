// What can be asked for: the same with and without Qt.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/publish/publish.h"
#include "core/text.h"

namespace mmapscope {
namespace {

constexpr std::array<PlotKindFacts, 7> kKinds{{
    {PlotKind::throughput, "throughput", "throughput over each arm's last run"},
    {PlotKind::faults, "faults", "page faults over each arm's last run"},
    {PlotKind::memory, "memory", "memory over each arm's last run"},
    {PlotKind::ratio, "ratio", "ratios to the baseline with their intervals"},
    {PlotKind::why, "why", "where the time went"},
    {PlotKind::sweep, "sweep", "throughput and what explains it against size"},
    {PlotKind::faultMap, "faultmap", "every page fault of the traced runs"},
}};

struct Suffix {
    PlotFormat format;
    std::string_view text;
};
constexpr std::array<Suffix, 3> kSuffixes{
    {{PlotFormat::svg, "svg"}, {PlotFormat::png, "png"}, {PlotFormat::pdf, "pdf"}}};

}  // namespace

std::span<const PlotKindFacts> plotKinds() {
    return kKinds;
}

const PlotKindFacts& factsOf(PlotKind kind) {
    return *std::find_if(kKinds.begin(), kKinds.end(),
                         [&](const PlotKindFacts& facts) { return facts.kind == kind; });
}

std::string_view suffixOf(PlotFormat format) {
    return std::find_if(kSuffixes.begin(), kSuffixes.end(),
                        [&](const Suffix& s) { return s.format == format; })
        ->text;
}

Result<PlotFormat> plotFormatOf(std::string_view path) {
    const std::size_t dot = path.rfind('.');
    std::string suffix(dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1));
    std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    const auto* const found =
        std::find_if(kSuffixes.begin(), kSuffixes.end(), [&](const Suffix& s) { return s.text == suffix; });
    if (found == kSuffixes.end()) {
        return fail(ErrorKind::usage,
                    fmt::format("{} has no suffix of a picture; end its name in .svg, .png or .pdf",
                                printable(path)));
    }
    return found->format;
}

Status checkPlotOptions(const PlotOptions& options) {
    using O = PlotOptions;
    if (options.width < O::kLeastWidth || options.width > O::kMostSide || options.height > O::kMostSide ||
        (options.height != 0 && options.height < O::kLeastHeight)) {
        return fail(
            ErrorKind::usage,
            fmt::format("a plot of {}x{} is not drawn; give a size from {}x{} to {}x{}", options.width,
                        options.height, O::kLeastWidth, O::kLeastHeight, O::kMostSide, O::kMostSide));
    }
    if (!(options.scale >= O::kLeastScale && options.scale <= O::kMostScale)) {
        return fail(ErrorKind::usage, fmt::format("scale {} is not possible; give one from {} to {}",
                                                  options.scale, O::kLeastScale, O::kMostScale));
    }
    const double pixels =
        std::round(options.width * options.scale) * std::round(options.height * options.scale);
    if (options.format == PlotFormat::png && pixels > O::kMostPixels) {
        return fail(
            ErrorKind::usage,
            fmt::format("a PNG of {:.0f} million pixels is too large; give a size and scale of at most "
                        "{:.0f} million, or write .svg or .pdf",
                        pixels / 1e6, O::kMostPixels / 1e6));
    }
    return {};
}

}  // namespace mmapscope
