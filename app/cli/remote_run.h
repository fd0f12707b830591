// A study on another machine, over OpenSSH: the file, its cache, the workers and their times are HOST's.
#pragma once

#include <stop_token>
#include <string>

#include "app/cli/run_options.h"
#include "study/study_runner.h"

namespace mmapscope::cli {

struct HostOptions {
    std::string host;     ///< as ssh takes it: name, user@name, an alias of ssh's configuration
    std::string program;  ///< mmapscope-cli there
};

struct RemoteStudy {
    Study study;
    Chosen chosen;
    std::string lost;  ///< why it ended early: the connection, a crash there; empty: it didn't
};

/// Runs it and calls `events` here; what was measured before a connection was lost is kept, and `lost` says
/// so. The ssh command is $MMAPSCOPE_SSH where that is set ("ssh -p 2222"), else ssh. `planned` is called
/// once HOST told what it will do. Error: usage (a host that is none); unavailable (not reached, not let in,
/// no mmapscope there or another version of it); and what HOST's own planning says.
[[nodiscard]] Result<RemoteStudy> runOnHost(const HostOptions& where, const RunOptions& options,
                                            const std::function<void(const Study&, const Chosen&)>& planned,
                                            const StudyEvents& events, const std::stop_token& stop);

}  // namespace mmapscope::cli
