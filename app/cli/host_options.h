// Which machine a command works on: `--host` and how it is reached.
#pragma once

#include <memory>
#include <string>

#include "app/cli/cli.h"
#include "host/host.h"

namespace mmapscope::cli {

struct HostOptions {
    std::string host;  ///< empty: this machine
    std::string program = SshOptions().program;
    std::string ssh;

    void addTo(CLI::App& command, const std::string& what);
    /// Error: usage.
    [[nodiscard]] Result<std::unique_ptr<Host>> open() const;
};

[[nodiscard]] Exit printReport(const HostOptions& where, const ReportQuestion& question);

}  // namespace mmapscope::cli
