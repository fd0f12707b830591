// Stands for the drawing where the program is built without the window's libraries.
#include "app/publish/publish.h"

namespace mmapscope {

Status checkDrawing() {
    return fail(ErrorKind::unavailable,
                "plots and HTML are not available here: built without the window's libraries; build with "
                "MMAPSCOPE_GUI=ON, or write the study with --json and show it where they are");
}

Status checkPlot(const Study& /*study*/, PlotKind /*kind*/) {
    return checkDrawing();
}

Result<std::string> plotOf(const std::shared_ptr<const Study>& /*study*/, const PlotOptions& options) {
    const Status sane = checkPlotOptions(options);
    return tl::unexpected(sane ? checkDrawing().error() : sane.error());
}

Result<std::string> reportOf(const std::shared_ptr<const Study>& study, ReportFormat format) {
    const auto write = factsOf(format).write;
    return write != nullptr ? Result<std::string>(write(*study)) : tl::unexpected(checkDrawing().error());
}

}  // namespace mmapscope
