#include "study/advisor.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "source/folder.h"
#include "study/cap_rules.h"
#include "study/ranking.h"
#include "study/statistics.h"
#include "workload/workload.h"

namespace mmapscope {
namespace {

constexpr unsigned kRounds = 7;
/// A short study reads no more of a large file.
constexpr Bytes kMeasured = mib(256);

std::string latencyText(const AdviceFacts& facts) {
    if (!facts.latency) {
        return "its latency was not measured: " + facts.latency.error().message;
    }
    return fmt::format("{} at a random place past the page cache take {} on the median",
                       formatBytes(facts.latency->size), formatDuration(facts.latency->median));
}

std::string storageText(const FileFacts& file) {
    return fmt::format("{} on {} ({} storage)", printable(file.filesystem), printable(file.device),
                       name(file.storage));
}

std::string residentText(const AdviceFacts& facts) {
    if (facts.residency) {
        return fmt::format("{:.0f} %", facts.residency->fraction() * 100);
    }
    return facts.file.storage == StorageClass::memory ? "all" : "an unknown share";
}

/// "64 KiB", or of a folder "64 KiB a file on average".
std::string eachText(const FileFacts& file) {
    return file.isFolder() ? formatBytes(file.bytes / file.members.size()) + " a file on average"
                           : formatBytes(file.bytes);
}

std::string touchText(const AdviceFacts& facts) {
    if (!facts.touch) {
        return "what a mapping of it costs was not measured";
    }
    return fmt::format("{} of it took {} by a mapping and {} by read just now",
                       formatBytes(facts.touch->bytes), formatDuration(facts.touch->mapped),
                       formatDuration(facts.touch->copied));
}

std::string fill(std::string_view text, const AdviceFacts& facts) {
    return fmt::format(
        fmt::runtime(text), fmt::arg("size", formatBytes(facts.file.bytes)),
        fmt::arg("each", eachText(facts.file)), fmt::arg("storage", storageText(facts.file)),
        fmt::arg("latency", latencyText(facts)), fmt::arg("resident", residentText(facts)),
        fmt::arg("mapped", facts.folios ? formatBytes(facts.folios->meanMapped) : "an unknown amount"),
        fmt::arg("touched", touchText(facts)),
        fmt::arg("room", facts.room ? formatBytes(*facts.room) : "unknown amount"),
        fmt::arg("room_set_by", facts.roomSetBy), fmt::arg("pages", facts.hugePages.value_or(0)),
        fmt::arg("file", printable(facts.file.path.substr(facts.file.path.find_last_of('/') + 1))));
}

std::vector<std::string> factLines(const AdviceFacts& facts) {
    std::vector<std::string> lines;
    const FileFacts& file = facts.file;
    lines.push_back(file.isFolder() ? fmt::format("size: {} in {} file{}", formatBytes(file.bytes),
                                                  file.members.size(), file.members.size() == 1 ? "" : "s")
                                    : fmt::format("size: {}", formatBytes(file.bytes)));
    lines.push_back(fmt::format("storage: {}: {}", storageText(file), printable(file.storageReason)));
    if (facts.latency) {
        lines.push_back(
            fmt::format("latency: {}, {} at most ({} reads just made with O_DIRECT, nothing "
                        "written){}",
                        latencyText(facts), formatDuration(facts.latency->longest), facts.latency->reads,
                        facts.hypervisor ? "; as far as a guest can see: the host may cache" : ""));
    } else {
        lines.push_back("latency: not measured: " + facts.latency.error().message);
    }
    lines.push_back(facts.residency ? fmt::format("page cache: {} of it is resident now", residentText(facts))
                                    : "page cache: not available here: " + facts.residency.error().message);
    lines.push_back(facts.folios
                        ? fmt::format("folios: {}; one page fault maps {} on average, {} at most",
                                      folioText(*facts.folios, 3), formatBytes(facts.folios->meanMapped),
                                      formatBytes(facts.folios->largestMapped))
                        : "folios: not available here: " + facts.folios.error().message);
    if (facts.touch) {
        lines.push_back("cost: " + touchText(facts));
    }
    lines.push_back(
        facts.room ? fmt::format("memory: {} may be had (by {})", formatBytes(*facts.room), facts.roomSetBy)
                   : std::string("memory: how much may be had is not available here"));
    lines.push_back(file.readAhead ? fmt::format("readahead: {}", formatBytes(*file.readAhead))
                                   : std::string("readahead: not available here"));
    lines.push_back(facts.hugePages
                        ? fmt::format("huge pages: {} of 2 MiB free in the pool", *facts.hugePages)
                        : std::string("huge pages: no pool of 2 MiB pages here"));
    return lines;
}

/// The storage's row of the preselection, for a disk whose claim was measured the row of what it was found
/// to be.
Preselection storageRow(const AdviceFacts& facts, Medium medium) {
    FileFacts file = facts.file;
    if (file.storage == StorageClass::virtualDisk && medium == Medium::seeking) {
        file.storage = StorageClass::rotational;
    }
    return preselect(file, *findWorkload(facts.workload), facts.workloadParameters, facts.machine);
}

void addArm(Advice& advice, const AdviceFacts& facts, const ArmChoice& choice, unsigned threads) {
    const SourceType& type = *findSource(choice.source);
    ArmRequest arm{std::string(choice.source), *parseParameters(type.parameters, choice.parameters), threads};
    const Range whole{Bytes(0), facts.file.bytes};
    Availability can = availabilityFor(type, facts.file, arm.sourceParameters, whole, threads);
    if (can.available) {
        const Arm named{arm.source, arm.source, arm.sourceParameters, facts.workload, {}, threads};
        can = underMemoryCap(facts.memoryCap, named, whole);
    }
    if (can.available) {
        advice.arms.push_back(std::move(arm));
    } else {
        advice.leftOut.push_back({arm.source, can.reason});
    }
}

std::string interval(double low, double high) {
    return fmt::format("{:.2f} to {:.2f}, 95 % interval", low, high);
}

/// "Measured (cache cold, the first 256 MiB)": a verdict holds for that.
std::string measuredText(const Plan& plan) {
    return fmt::format("Measured (cache {}{}{})", name(plan.cache),
                       plan.memoryCap ? ", at most " + formatBytes(*plan.memoryCap) + " of memory" : "",
                       plan.limit ? ", the first " + formatBytes(*plan.limit) : "");
}

bool isArm(const Arm& arm, const ArmRequest& wanted) {
    return arm.source == wanted.source && arm.sourceParameters == wanted.sourceParameters &&
           arm.threads == wanted.threads;
}

}  // namespace

std::string armText(const ArmRequest& arm) {
    std::string text = arm.source;
    if (const auto parameters = formatParameters(findSource(arm.source)->parameters, arm.sourceParameters);
        !parameters.empty()) {
        text += ":" + parameters;
    }
    return arm.threads > 1 ? fmt::format("{}, {} threads", text, arm.threads) : text;
}

Advice advise(const AdviceFacts& facts) {
    const Situation situation = situationOf(facts);
    const Preselection row = storageRow(facts, situation.medium);
    Advice advice;
    advice.facts = factLines(facts);
    for (const AdviceRule& rule : adviceRules()) {
        const bool decides = !rule.arms.empty();
        if ((decides && !advice.rule.empty()) || !rule.when.fits(situation)) {
            continue;
        }
        advice.reasons.push_back({fill(rule.reason, facts), std::string(rule.basis)});
        if (!decides) {
            continue;
        }
        advice.rule = rule.id;
        advice.changes = {fill(rule.changes, facts)};
        for (const ArmChoice& arm : rule.arms) {
            addArm(advice, facts, arm, row.threads);
        }
    }
    if (row.threads > 1) {
        advice.reasons.push_back({fmt::format("{} threads: {}", row.threads, row.reason), row.basis});
    } else if (!row.threadReason.empty() && situation.size == SizeClass::large) {
        advice.reasons.push_back(
            {"one thread: " + row.threadReason, "the workload's own rule for splitting"});
    }
    return advice;
}

StudyRequest adviceStudy(const AdviceFacts& facts, const Advice& advice, StudyRequest request) {
    const Situation situation = situationOf(facts);
    request.file = facts.file.path;
    request.workload = facts.workload;
    request.workloadParameters = facts.workloadParameters;
    request.arms = advice.arms;
    const auto read = std::find_if(advice.arms.begin(), advice.arms.end(),
                                   [](const ArmRequest& arm) { return arm.source == "read"; });
    request.baseline = static_cast<std::size_t>(read - advice.arms.begin());
    request.rounds = kRounds;
    request.warmups = 1;
    request.memoryCap = facts.memoryCap;
    Bytes most = kMeasured;
    if (facts.memoryCap) {
        request.isolation = Isolation::worker;
        request.cache = situation.room == Room::tooLarge ? CacheState::cold : CacheState::warm;
        most = *facts.memoryCap * 2;  // beyond the cap, or it would say nothing of it
    } else if (situation.cached == Cached::whole) {
        request.cache = CacheState::resident;  // as it was found: its folios are left
    } else if (facts.file.owned || facts.file.writable) {
        request.cache = CacheState::cold;
    } else {
        request.cache = CacheState::asis;
    }
    request.limit.reset();
    if (facts.file.bytes > most) {
        // All of it where the workload can't stop so early: a zstd frame is decoded to its end.
        const auto fitted =
            findWorkload(facts.workload)->fitLimit(facts.file, facts.workloadParameters, most);
        request.limit = fitted ? std::optional(*fitted) : std::nullopt;
    }
    return request;
}

AdviceVerdict judgeAdvice(const Study& study, const ArmRequest& advised) {
    using Kind = AdviceVerdict::Kind;
    const auto at = std::find_if(study.arms.begin(), study.arms.end(),
                                 [&](const Arm& arm) { return isArm(arm, advised); });
    if (at == study.arms.end()) {
        return {Kind::unranked, "The advised arm was not among the measured ones."};
    }
    Study against = study;
    against.plan.baseline = static_cast<std::uint32_t>(at - study.arms.begin());
    summarize(against);
    const ArmSummary* best = nullptr;
    const ArmSummary* read = nullptr;
    for (const ArmSummary& arm : against.summary) {
        if (arm.arm == against.plan.baseline) {
            // A baseline is called that whatever became of its runs.
            if (const std::string why = whyUnranked(against, arm); !why.empty()) {
                return {Kind::unranked, fmt::format("Measured, but {} can't be ranked: {}.", at->id, why)};
            }
            continue;
        }
        if (arm.verdict == Verdict::unranked || !arm.ratio || !arm.ratioLow || !arm.ratioHigh) {
            continue;
        }
        if (best == nullptr || *arm.ratio > *best->ratio) {
            best = &arm;
        }
        if (study.arms[arm.arm].source == "read") {
            read = &arm;
        }
    }
    if (best == nullptr) {
        return {Kind::unranked, "Measured, but no other arm could be ranked beside it: see the table."};
    }
    const std::string& other = study.arms[best->arm].id;
    if (best->verdict == Verdict::faster) {
        return {Kind::contradicted,
                fmt::format("{}: {} is {:.2f}× as fast as {} ({}), which contradicts the rule: here, use {}.",
                            measuredText(study.plan), other, *best->ratio, at->id,
                            interval(*best->ratioLow, *best->ratioHigh), other)};
    }
    if (advised.source == "read") {
        return {best->verdict == Verdict::tied ? Kind::tied : Kind::holds,
                fmt::format("{}: no arm is faster than read; the nearest, {}, is {:.2f}× as fast ({}): the "
                            "advice holds.",
                            measuredText(study.plan), other, *best->ratio,
                            interval(*best->ratioLow, *best->ratioHigh))};
    }
    if (read == nullptr) {
        return {Kind::unranked, "Measured, but read, the baseline, could not be ranked: see the table."};
    }
    const std::string words =
        fmt::format("{}: {} is {:.2f}× as fast as read ({}): ", measuredText(study.plan), at->id,
                    1 / *read->ratio, interval(1 / *read->ratioHigh, 1 / *read->ratioLow));
    return read->verdict == Verdict::slower
               ? AdviceVerdict{Kind::holds, words + "the advice holds."}
               : AdviceVerdict{Kind::tied, words +
                                               "too little to tell them apart, so the simpler read is as "
                                               "good."};
}

}  // namespace mmapscope
