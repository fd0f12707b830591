#include "study/fault_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/text.h"
#include "study/arm_figures.h"

namespace mmapscope {
namespace {

std::vector<FaultPattern::Mapped> mappedBy(const std::vector<std::uint64_t>& offsets, Bytes fileBytes) {
    std::map<std::uint64_t, std::uint64_t> counts;
    const std::uint64_t page = pageSize().count();
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        const std::uint64_t end =
            i + 1 < offsets.size() ? offsets[i + 1] : std::max(fileBytes.count(), offsets[i] + page);
        ++counts[(end - offsets[i] + page - 1) / page];
    }
    std::vector<FaultPattern::Mapped> mapped;
    for (const auto& [pages, count] : counts) {
        mapped.push_back({pages, count});
    }
    return mapped;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
    const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    return share >= 99.5 && part < whole ? std::string("over 99 %") : fmt::format("{:.0f} %", share);
}

/// Of the commonest distance, when it is the rule.
std::string strideWords(const FaultPattern& p) {
    std::uint64_t all = 0;
    for (const auto& stride : p.strides) {
        all += stride.count;
    }
    if (p.strides.empty()) {
        return {};
    }
    const auto& most = p.strides.front();
    if (most.count * 10 < all || most.bytes == 0) {
        return "; no distance from one to the next is common";
    }
    const auto distance = static_cast<std::uint64_t>(most.bytes < 0 ? -most.bytes : most.bytes);
    return fmt::format("; {} come {} {} the one before", percent(most.count, all),
                       formatBytes(Bytes(distance)), most.bytes < 0 ? "before" : "after");
}

/// How many pages faults map; not the distance between them, as a thread may walk in several places.
std::string mappedWords(const FaultPattern& p) {
    std::uint64_t pages = 0;
    std::uint64_t count = 0;
    for (const auto& mapped : p.mapped) {
        pages += mapped.pages * mapped.count;
        count += mapped.count;
    }
    if (count == 0) {
        return {};
    }
    const std::uint64_t most = p.mapped.back().pages;
    return p.mapped.size() == 1 ? fmt::format("; each maps {} page{}", most, most == 1 ? "" : "s")
                                : fmt::format("; they map {:.1f} pages on the mean, at most {}",
                                              static_cast<double>(pages) / static_cast<double>(count), most);
}

std::string faultWord(std::uint64_t count) {
    return fmt::format("{} fault{}", count, count == 1 ? "" : "s");
}

}  // namespace

FaultPattern faultPattern(const FaultTrace& trace, Bytes fileBytes) {
    FaultPattern pattern;
    pattern.faults = trace.tNs.size();
    pattern.lost = trace.lost;
    pattern.userOnly = trace.userOnly;
    std::map<std::uint32_t, std::uint64_t> lastOf;  // thread → offset
    std::map<std::int64_t, std::uint64_t> strides;
    std::vector<std::uint64_t> offsets;
    for (std::size_t i = 0; i < trace.tNs.size(); ++i) {
        pattern.major += trace.major[i];
        const std::uint64_t offset = trace.offset[i];
        if (offset == FaultTrace::kElsewhere) {
            continue;
        }
        offsets.push_back(offset);
        const auto [last, first] = lastOf.try_emplace(trace.thread[i], offset);
        if (!first) {
            ++strides[static_cast<std::int64_t>(offset - last->second)];
            last->second = offset;
        }
    }
    pattern.inFile = offsets.size();
    for (const auto& [bytes, count] : strides) {
        pattern.strides.push_back({bytes, count});
    }
    std::stable_sort(pattern.strides.begin(), pattern.strides.end(),
                     [](const auto& a, const auto& b) { return a.count > b.count; });
    std::sort(offsets.begin(), offsets.end());
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
    pattern.mapped = mappedBy(offsets, fileBytes);
    return pattern;
}

std::string faultSentence(const std::string& arm, const FaultPattern& p) {
    std::string words = fmt::format("{}: {}", arm, faultWord(p.faults));
    if (p.inFile == 0) {
        words += p.faults == 0 ? "" : ", none of them in a mapping of the file";
    } else {
        words += fmt::format(", {} of them in the file", p.inFile);
        words += strideWords(p) + mappedWords(p);
    }
    if (p.major > 0) {
        words += fmt::format("; {} waited for storage (major)", p.major);
    }
    if (p.userOnly) {
        words += "; faults inside system calls not shown";
    }
    if (p.lost > 0) {
        words += fmt::format("; {} more could not be recorded", p.lost);
    }
    return words;
}

const RunRecord* tracedRun(const Study& study, std::uint32_t arm) {
    const auto it = std::find_if(study.runs.begin(), study.runs.end(), [&](const RunRecord& run) {
        return run.arm == arm && run.status == RunStatus::ok && run.faultTrace.has_value();
    });
    return it == study.runs.end() ? nullptr : &*it;
}

std::optional<TraceCost> traceCost(const Study& study, std::uint32_t arm) {
    const RunRecord* const traced = tracedRun(study, arm);
    if (traced == nullptr) {
        return std::nullopt;
    }
    if (const auto figures = figuresOf(study, arm); figures.wallNs) {
        return TraceCost{traced->wall, Nanoseconds(static_cast<Nanoseconds::rep>(*figures.wallNs))};
    }
    for (const RunRecord& run : study.runs) {
        if (run.arm == arm && run.status == RunStatus::ok && run.phase == Phase::warmup) {
            return TraceCost{traced->wall, run.wall};
        }
    }
    return std::nullopt;
}

std::vector<std::string> faultDisagreements(const Study& study) {
    // Thread starts and the readings themselves fault a few times on either side.
    constexpr std::uint64_t kFew = 16;
    std::vector<std::string> lines;
    for (std::uint32_t arm = 0; arm < study.arms.size(); ++arm) {
        for (const RunRecord& run : study.runs) {
            const auto perf = run.counters.find("perf_minor_faults");
            if (run.arm != arm || run.status != RunStatus::ok || perf == run.counters.end()) {
                continue;
            }
            const std::uint64_t difference = run.minorFaults > perf->second ? run.minorFaults - perf->second
                                                                            : perf->second - run.minorFaults;
            if (difference > kFew && difference > run.minorFaults / 20) {
                lines.push_back(fmt::format(
                    "{}: {} minor faults by getrusage, {} by perf events: pages that a system call brings in "
                    "(MAP_POPULATE, madvise) count in the first alone",
                    study.arms[arm].id, run.minorFaults, perf->second));
            }
            break;  // every run of the arm tells the same
        }
    }
    return lines;
}

}  // namespace mmapscope
