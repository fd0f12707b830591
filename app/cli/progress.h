// Progress on standard error: one line that rewrites itself on a terminal, a line now and then elsewhere.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace mmapscope::cli {

class ProgressLine {
  public:
    explicit ProgressLine(bool quiet);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(std::string_view text);
    /// Clears the line on a terminal, so that what comes next starts clean.
    void end();

  private:
    bool quiet_;
    bool terminal_;
    bool drawn_ = false;
    std::string last_;
    std::chrono::steady_clock::time_point next_{};
};

}  // namespace mmapscope::cli
