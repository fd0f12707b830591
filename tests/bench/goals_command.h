// Programs that are measured against: started, timed, and ended when the measurement is stopped.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "bench/goals_elapsed.h"
#include "core/result.h"
#include "core/units.h"

namespace mmapscope::bench {

struct CommandResult {
    Elapsed elapsed;  ///< from the start of the program to its end
    std::string output;
};

/// Runs a program from PATH with its standard input and errors on /dev/null; its standard output is kept when
/// `keepOutput`, else goes there too. Error: unavailable (not installed), failed (its exit status),
/// cancelled.
[[nodiscard]] Result<CommandResult> runCommand(const std::vector<std::string>& arguments, bool keepOutput,
                                               const std::stop_token& stop);

/// Reads `file` once by fio with these further options. The time is what fio itself says it needed, so that
/// its start, which is long, isn't part of it.
[[nodiscard]] Result<Elapsed> runFio(const std::string& file, Bytes size, const std::string& options,
                                     const std::stop_token& stop);

/// Cut at spaces.
[[nodiscard]] std::vector<std::string> wordsOf(const std::string& text);

}  // namespace mmapscope::bench
