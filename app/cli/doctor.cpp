// What this machine can do, and how to unlock the rest.
#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/cli.h"
#include "app/cli/host_options.h"

namespace mmapscope::cli {

void addDoctor(CLI::App& app, Exit& exit) {
    auto* command = app.add_subcommand("doctor", "What this machine can do, and how to unlock the rest");
    auto question = std::make_shared<ReportQuestion>();
    auto host = std::make_shared<HostOptions>();
    command->add_flag("--json", question->json, "As JSON");
    host->addTo(*command, "Ask this machine over ssh");
    command->callback([question, host, &exit] { exit = printReport(*host, *question); });
}

}  // namespace mmapscope::cli
