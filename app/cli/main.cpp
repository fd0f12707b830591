// mmapscope-cli: the same work as the window, without a screen.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "app/cli/cli.h"
#include "app/cli/signals.h"

namespace {

/// An unset variable of a script makes one; taken for "not given", it would measure something else.
std::string emptyArgument(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument.empty()) {
            const std::string_view before = i > 1 ? argv[i - 1] : "";
            return before.starts_with("--") ? std::string(before) : std::string("an argument");
        }
        if (argument.starts_with("--") && argument.ends_with('=')) {
            return std::string(argument.substr(0, argument.size() - 1));
        }
    }
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    using namespace mmapscope::cli;
    std::optional<SignalWatch> signals;
    try {
        signals.emplace();
    } catch (const std::system_error& error) {
        printError(
            fmt::format("no thread can be made: {}; raise the limits on processes and memory (ulimit -u, "
                        "ulimit -v)",
                        error.code().message()));
        return static_cast<int>(Exit::runFailed);
    }
    Exit exit = Exit::done;
    CLI::App app("How should a program get a file's bytes, and why?", "mmapscope-cli");
    app.set_version_flag("--version", "mmapscope-cli " MMAPSCOPE_VERSION);
    app.require_subcommand(1);
    app.get_formatter()->column_width(34);
    if (const std::string name = emptyArgument(argc, argv); !name.empty()) {
        printError(name + " is empty: give it a value, or leave it out");
        return static_cast<int>(Exit::badInput);
    }
    addRun(app, exit);
    addSweep(app, exit);
    addShow(app, exit);
    addCompare(app, exit);
    addClaims(app, exit);
    addLesson(app, exit);
    addAdvise(app, exit);
    addArms(app, exit);
    addCorpus(app, exit);
    addDoctor(app, exit);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& help) {
        const int status = app.exit(help);
        // What it printed may still be on its way; nothing more, and the error is print()'s.
        return std::cout.flush() ? status : static_cast<int>(print(" "));
    } catch (const CLI::ParseError& error) {
        std::string message = error.what();
        if (app.get_subcommands().empty() && argc < 2) {
            message = "a command is needed: run, sweep, show, compare, advise, arms, corpus or doctor";
        }
        printError(message + (message.ends_with('.') ? " " : "; ") + "see mmapscope-cli --help");
        return static_cast<int>(Exit::badInput);
    }
    return static_cast<int>(exit);
}
