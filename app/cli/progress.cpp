#include "app/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace mmapscope::cli {
namespace {

constexpr std::chrono::seconds kLogPeriod(5);

}  // namespace

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {
    // What is over in a moment needs no line in a log.
    next_ = std::chrono::steady_clock::now() + (terminal_ ? std::chrono::seconds(0) : kLogPeriod);
}

ProgressLine::~ProgressLine() {
    end();
}

void ProgressLine::show(std::string_view text) {
    const auto now = std::chrono::steady_clock::now();
    if (quiet_ || now < next_ || text == last_) {
        return;
    }
    // A log file gets a line every few seconds, a person sees it move.
    next_ = now + (terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(kLogPeriod));
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
