#include "report/doctor_report.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "probe/system_facts.h"

namespace mmapscope {

std::string doctorText() {
    std::string out;
    for (const auto& c : capabilities()) {
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

std::string doctorJson() {
    nlohmann::ordered_json root;
    utsname uts{};
    uname(&uts);
    root["tool_version"] = MMAPSCOPE_VERSION;
    root["kernel"] = uts.release;
    auto list = nlohmann::ordered_json::array();
    for (const auto& c : capabilities()) {
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

}  // namespace mmapscope
