#include "probe/task_status.h"

#include <array>

#include "probe/size_fields.h"

namespace mmapscope {
namespace {

constexpr std::array<SizeField<TaskStatus>, 9> kSizes{{{"RssAnon", &TaskStatus::rssAnon},
                                                       {"RssFile", &TaskStatus::rssFile},
                                                       {"RssShmem", &TaskStatus::rssShmem},
                                                       {"VmRSS", &TaskStatus::rss},
                                                       {"VmHWM", &TaskStatus::peakRss},
                                                       {"VmPTE", &TaskStatus::pageTables},
                                                       {"VmSwap", &TaskStatus::swap},
                                                       {"VmLck", &TaskStatus::locked},
                                                       {"HugetlbPages", &TaskStatus::hugetlb}}};

}  // namespace

TaskStatus parseTaskStatus(std::string_view text) noexcept {
    TaskStatus status;
    Lines lines(text);
    while (const auto line = lines.next()) {
        const auto entry = splitAtColon(*line);
        if (!entry) {
            continue;
        }
        const auto [key, value] = *entry;
        if (key == "Threads") {
            status.threads = parseUnsigned(trimmed(value));
        } else if (key == "CapEff") {
            status.effectiveCapabilities = parseUnsigned(trimmed(value), 16);
        } else if (const auto* const field = findSizeField(kSizes, key); field != nullptr) {
            status.*(field->member) = parseKib(value);
        }
    }
    return status;
}

std::optional<TaskStat> parseTaskStat(std::string_view text) noexcept {
    const std::size_t open = text.find('(');
    const std::size_t close = text.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
        return std::nullopt;
    }
    TaskStat stat;
    const auto pid = parseUnsigned(trimmed(text.substr(0, open)));
    if (!pid) {
        return std::nullopt;
    }
    stat.pid = *pid;
    stat.command = text.substr(open + 1, close - open - 1);
    Fields fields(trimmed(text.substr(close + 1)));
    // Numbered as in the man page: the state is field 3.
    for (int number = 3; number <= 39; ++number) {
        const std::string_view field = fields.next();
        if (number == 3) {
            if (field.size() != 1) {
                return std::nullopt;
            }
            stat.state = field.front();
            continue;
        }
        std::uint64_t* const out = number == 10   ? &stat.minorFaults
                                   : number == 12 ? &stat.majorFaults
                                   : number == 14 ? &stat.userTicks
                                   : number == 15 ? &stat.systemTicks
                                                  : nullptr;
        if (out != nullptr) {
            const auto value = parseUnsigned(field);
            if (!value) {
                return std::nullopt;
            }
            *out = *value;
        } else if (number == 39) {
            stat.lastCpu = parseUnsigned(field);
        }
    }
    return stat;
}

std::optional<Bytes> parseReadBytes(std::string_view ioText) noexcept {
    Lines lines(ioText);
    while (const auto line = lines.next()) {
        constexpr std::string_view kKey = "read_bytes:";
        if (line->starts_with(kKey)) {
            const auto value = parseUnsigned(trimmed(line->substr(kKey.size())));
            return value ? std::optional(Bytes(*value)) : std::nullopt;
        }
    }
    return std::nullopt;
}

}  // namespace mmapscope
