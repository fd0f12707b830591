#include "study/outcome_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text.h"

namespace mmapscope {
namespace {

bool counts(const Study& study, const RunRecord& run) {
    return run.status == RunStatus::ok && run.outcome && run.arm < study.arms.size();
}

OutcomeKey& entryFor(std::vector<OutcomeKey>& keys, const std::string& workload, const std::string& key) {
    const auto it = std::find_if(keys.begin(), keys.end(), [&](const OutcomeKey& known) {
        return known.workload == workload && known.key == key;
    });
    return it != keys.end() ? *it : keys.emplace_back(OutcomeKey{workload, key, {}});
}

void enter(OutcomeKey& entry, const Outcome::Value& value, std::uint32_t arm) {
    const std::string text = outcomeText(value);
    auto seen = std::find_if(entry.seen.begin(), entry.seen.end(),
                             [&](const OutcomeKey::Seen& s) { return s.value == text; });
    if (seen == entry.seen.end()) {
        seen = entry.seen.insert(entry.seen.end(), {text, {}});
    }
    if (std::find(seen->arms.begin(), seen->arms.end(), arm) == seen->arms.end()) {
        seen->arms.push_back(arm);
    }
}

}  // namespace

std::string outcomeText(const Outcome::Value& value) {
    if (const auto* number = std::get_if<std::uint64_t>(&value.data)) {
        return fmt::format("{}", *number);
    }
    if (const auto* text = std::get_if<std::string>(&value.data)) {
        return printable(*text);
    }
    std::vector<std::string> parts;
    for (const auto& [key, nested] : std::get<Outcome>(value.data).fields) {
        parts.push_back(fmt::format("{}={}", printable(key), outcomeText(nested)));
    }
    return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

std::string groupedText(std::uint64_t count) {
    std::string text = fmt::format("{}", count);
    for (std::size_t at = text.size(); at > 3;) {
        at -= 3;
        text.insert(at, 1, ',');
    }
    return text;
}

OutcomeReach outcomeReach(const Study& study) {
    OutcomeReach reach;
    std::vector<bool> seen(study.arms.size());
    for (const RunRecord& run : study.runs) {
        if (counts(study, run)) {
            ++reach.runs;
            reach.arms += seen[run.arm] ? 0 : 1;
            seen[run.arm] = true;
        }
    }
    return reach;
}

std::vector<OutcomeKey> checkOutcomes(const Study& study) {
    std::vector<OutcomeKey> keys;
    for (const RunRecord& run : study.runs) {
        if (!counts(study, run)) {
            continue;
        }
        for (const auto& [key, value] : run.outcome->fields) {
            enter(entryFor(keys, study.arms[run.arm].workload, key), value, run.arm);
        }
    }
    return keys;
}

std::optional<bool> outcomesAgree(const std::vector<OutcomeKey>& keys, std::uint32_t arm) {
    std::optional<bool> agree;
    for (const OutcomeKey& key : keys) {
        const bool concerned =
            std::any_of(key.seen.begin(), key.seen.end(), [&](const OutcomeKey::Seen& seen) {
                return std::find(seen.arms.begin(), seen.arms.end(), arm) != seen.arms.end();
            });
        if (concerned) {
            agree = agree.value_or(true) && key.agrees();
        }
    }
    return agree;
}

std::string describeDifference(const OutcomeKey& key, const Study& study) {
    std::vector<std::string> parts;
    for (const auto& seen : key.seen) {
        std::vector<std::string_view> ids;
        for (const std::uint32_t arm : seen.arms) {
            ids.push_back(study.arms[arm].id);
        }
        parts.push_back(fmt::format("{} {}", fmt::join(ids, " and "), seen.value));
    }
    return fmt::format("{}: {}", printable(key.key), fmt::join(parts, ", "));
}

}  // namespace mmapscope
