#include "report/advice_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "core/text.h"

namespace mmapscope {

std::string armsInWords(const Advice& advice) {
    std::vector<std::string> names;
    for (const ArmRequest& arm : advice.arms) {
        names.push_back(armText(arm));
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string adviceText(const AdviceFacts& facts, const Advice& advice) {
    std::string out = fmt::format("For {} under {}: use {}.\n", printable(facts.file.path), facts.workload,
                                  armText(advice.arm()));
    for (const Reason& reason : advice.reasons) {
        out += fmt::format("\n  * {}\n    ({})\n", reason.text, reason.basis);
    }
    if (!advice.changes.empty()) {
        out += fmt::format("\nWhat would change it: {}.\n", fmt::join(advice.changes, "; "));
    }
    for (const LeftOut& left : advice.leftOut) {
        out += fmt::format("Left out, {}: {}.\n", left.source, left.reason);
    }
    out += "\nLooked at:\n";
    for (const std::string& fact : advice.facts) {
        out += "  " + fact + "\n";
    }
    return out;
}

}  // namespace mmapscope
