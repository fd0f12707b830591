// What this machine can do, and how to unlock the rest.
#include <fmt/format.h>
#include <sys/utsname.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/cli.h"
#include "core/text.h"
#include "probe/system_facts.h"

namespace mmapscope::cli {
namespace {

std::string asText(const std::vector<Capability>& found) {
    std::string out;
    for (const auto& c : found) {
        out += fmt::format("{} {}\n", c.available ? "yes" : "no ", c.title);
        if (!c.detail.empty()) {
            out += fmt::format("      {}\n", printable(c.detail));
        }
        if (!c.unlock.empty()) {
            out += fmt::format("      to unlock: {}\n", c.unlock);
        }
    }
    return out;
}

std::string asJson(const std::vector<Capability>& found) {
    nlohmann::ordered_json root;
    utsname uts{};
    uname(&uts);
    root["tool_version"] = MMAPSCOPE_VERSION;
    root["kernel"] = uts.release;
    auto list = nlohmann::ordered_json::array();
    for (const auto& c : found) {
        list.push_back(
            {{"id", c.id},
             {"title", c.title},
             {"available", c.available},
             {"detail", c.detail},
             {"unlock", c.unlock.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(c.unlock)}});
    }
    root["capabilities"] = std::move(list);
    return root.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

void addDoctor(CLI::App& app, Exit& exit) {
    auto* command = app.add_subcommand("doctor", "What this machine can do, and how to unlock the rest");
    auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "As JSON");
    command->callback([json, &exit] {
        const auto found = capabilities();
        exit = print(*json ? asJson(found) : asText(found));
    });
}

}  // namespace mmapscope::cli
