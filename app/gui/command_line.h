// mmapscope [FILE] [--open STUDY.json]
#pragma once

#include <QString>
#include <optional>

namespace mmapscope {

struct CommandLine {
    QString file;   ///< empty: none
    QString study;  ///< empty: none
};

/// Before any window: --help, --version and mistakes need no display. nullopt: the program ends here, with
/// `exitStatus`, and what there was to say has been said.
[[nodiscard]] std::optional<CommandLine> readCommandLine(int argc, char** argv, int& exitStatus);

}  // namespace mmapscope
