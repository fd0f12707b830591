// The commands of mmapscope-cli. Results go to standard output, progress and errors to standard error.
#pragma once

#include <stop_token>
#include <string_view>

#include "core/result.h"

namespace CLI {
class App;
}

namespace mmapscope::cli {

/// Exit statuses of the contract.
enum class Exit : int { done = 0, runFailed = 1, badInput = 2, unavailable = 3, slower = 4, cancelled = 130 };

/// One line on standard error.
void printError(std::string_view message);
/// Prints the error and says which status it is.
[[nodiscard]] Exit report(const Error& error);
/// Writes all of it to standard output. Error: failed (a closed pipe, a full disk).
[[nodiscard]] Exit print(std::string_view text);

/// Set by SIGINT, SIGTERM and SIGHUP.
[[nodiscard]] std::stop_token stopToken();

// Each adds its subcommand; its callback leaves the exit status in `exit`.
void addDoctor(CLI::App& app, Exit& exit);
void addArms(CLI::App& app, Exit& exit);
void addCorpus(CLI::App& app, Exit& exit);
void addRun(CLI::App& app, Exit& exit);
void addShow(CLI::App& app, Exit& exit);
void addSweep(CLI::App& app, Exit& exit);
void addCompare(CLI::App& app, Exit& exit);
void addAdvise(CLI::App& app, Exit& exit);
void addClaims(CLI::App& app, Exit& exit);
void addLesson(CLI::App& app, Exit& exit);

/// A check for CLI11's options: what is wrong with a whole number from 0 to 2⁶⁴−1; empty when nothing is.
[[nodiscard]] std::string checkWhole(const std::string& text);

}  // namespace mmapscope::cli
