#include "app/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace mmapscope::cli {

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
    end();
}

void ProgressLine::show(std::string_view text) {
    const auto now = std::chrono::steady_clock::now();
    if (quiet_ || now < next_ || text == last_) {
        return;
    }
    // A log file gets a line every few seconds, a person sees it move.
    next_ = now + (terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000));
    last_ = text;
    std::fputs(terminal_ ? fmt::format("\r\x1b[K{}", text).c_str() : fmt::format("{}\n", text).c_str(),
               stderr);
    drawn_ = terminal_;
}

void ProgressLine::end() {
    if (drawn_) {
        std::fputs("\r\x1b[K", stderr);
        drawn_ = false;
    }
}

}  // namespace mmapscope::cli
