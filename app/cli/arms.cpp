// Every source and workload, its parameters, and whether it can run here.
#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/cli.h"
#include "app/cli/host_options.h"

namespace mmapscope::cli {

void addArms(CLI::App& app, Exit& exit) {
    auto* command =
        app.add_subcommand("arms", "Every source and workload, parameters, availability and reason");
    auto question = std::make_shared<ReportQuestion>();
    auto host = std::make_shared<HostOptions>();
    question->what = ReportQuestion::What::arms;
    command->add_option("FILE", question->path, "Say what can run on this file");
    command->add_flag("--json", question->json, "As JSON");
    host->addTo(*command, "Ask this machine over ssh, where FILE is");
    command->callback([question, host, &exit] { exit = printReport(*host, *question); });
}

}  // namespace mmapscope::cli
