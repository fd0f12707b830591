#include "app/cli/host_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace mmapscope::cli {

void HostOptions::addTo(CLI::App& command, const std::string& what) {
    auto* const option = command.add_option("--host", host, what + " (as ssh takes it: user@server)");
    command.add_option("--remote-worker", program, "mmapscope-worker there")
        ->capture_default_str()
        ->needs(option);
    command
        .add_option("--ssh", ssh,
                    "The ssh command, such as \"ssh -p 2222 -i key\"; default: $MMAPSCOPE_SSH, else ssh")
        ->needs(option);
}

Result<std::unique_ptr<Host>> HostOptions::open() const {
    return host.empty() ? Result<std::unique_ptr<Host>>(thisHost()) : hostOverSsh({host, program, ssh});
}

Exit printReport(const HostOptions& where, const ReportQuestion& question) {
    const auto host = where.open();
    if (!host) {
        return cli::report(host.error());
    }
    const auto text = (*host)->report(question, stopToken());
    return text ? print(*text) : cli::report(text.error());
}

}  // namespace mmapscope::cli
