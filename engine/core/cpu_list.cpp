#include "core/cpu_list.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/text.h"

namespace mmapscope {
namespace {

struct CpuRange {
    unsigned first = 0;
    unsigned last = 0;
};

std::optional<unsigned> wholeNumber(std::string_view text) {
    unsigned number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::optional<CpuRange> rangeOf(std::string_view item) {
    const std::size_t dash = item.find('-');
    const auto first = wholeNumber(item.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : wholeNumber(item.substr(dash + 1));
    return first && last && *first <= *last ? std::optional(CpuRange{*first, *last}) : std::nullopt;
}

}  // namespace

Result<std::vector<unsigned>> parseCpuList(std::string_view text) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    std::vector<unsigned> cpus;
    std::size_t at = 0;
    while (!text.empty() && at <= text.size()) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        const auto range = rangeOf(text.substr(at, comma - at));
        if (!range) {
            return fail(
                ErrorKind::usage,
                fmt::format("\"{}\" is no list of CPUs: write numbers such as 0,2-3", printable(text)));
        }
        for (unsigned cpu = range->first; cpu <= range->last; ++cpu) {
            if (cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &allowed)) {
                return fail(ErrorKind::usage, fmt::format("CPU {} of \"{}\" is not one this process may use",
                                                          cpu, printable(text)));
            }
            cpus.push_back(cpu);
        }
        at = comma + 1;
    }
    return cpus;
}

}  // namespace mmapscope
