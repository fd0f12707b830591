#include "lesson/plan_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/nearest.h"
#include "core/text.h"
#include "probe/fields.h"
#include "source/source.h"
#include "workload/workload.h"

namespace mmapscope {
namespace {

using Words = std::vector<std::string_view>;

Words wordsOf(std::string_view text) {
    Words words;
    while (!(text = trimmed(text)).empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        words.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return words;
}

std::pair<std::string_view, std::string_view> cut(std::string_view text) {
    const std::size_t colon = text.find(':');
    return colon == std::string_view::npos ? std::pair(text, std::string_view())
                                           : std::pair(text.substr(0, colon), text.substr(colon + 1));
}

tl::unexpected<Error> usage(std::string text) {
    return fail(ErrorKind::usage, std::move(text));
}

template <class Type>
tl::unexpected<Error> unknown(std::string_view what, std::string_view id,
                              const std::vector<const Type*>& known) {
    std::vector<std::string_view> names;
    for (const auto* type : known) {
        names.push_back(type->id);
    }
    const std::string meant = didYouMean(id, names);
    return usage(fmt::format("no {} \"{}\"{}", what, printable(id),
                             meant.empty() ? std::string("; `mmapscope-cli arms` lists them") : meant));
}

Result<unsigned> whole(std::string_view option, std::string_view text, unsigned least, unsigned most) {
    const auto value = parseUnsigned(text);
    if (!value || *value < least || *value > most) {
        return usage(fmt::format("{} {}: a whole number from {} to {} is needed", option, printable(text),
                                 least, most));
    }
    return static_cast<unsigned>(*value);
}

/// What can only be said once all words are known.
struct Pending {
    std::string_view baseline;
    unsigned threads = 1;
};

using Take = Status (*)(LessonStudy&, Pending&, std::string_view);

Status takeSample(LessonStudy& study, Pending&, std::string_view text) {
    const auto [kind, size] = cut(text);
    if (kind == "bytes") {
        study.corpus = CorpusKind::bytes;
    } else if (kind == "ticks") {
        study.corpus = CorpusKind::ticks;
    } else if (kind == "zstd") {
        study.corpus = CorpusKind::zstd;
    } else {
        return usage(
            fmt::format("--sample {}: write bytes, ticks or zstd, a colon and a size, such as "
                        "bytes:64MiB",
                        printable(text)));
    }
    const auto bytes = parseBytes(size);
    if (!bytes) {
        return usage("--sample: " + bytes.error().message);
    }
    if (*bytes < kLeastSample || *bytes > kMostSample) {
        return usage(fmt::format("--sample: {} is not from {} to {}", formatBytes(*bytes),
                                 formatBytes(kLeastSample), formatBytes(kMostSample)));
    }
    study.size = *bytes;
    return {};
}

Status takeWorkload(LessonStudy& study, Pending&, std::string_view text) {
    const auto [id, parameters] = cut(text);
    const WorkloadType* type = findWorkload(id);
    if (type == nullptr) {
        return unknown("workload", id, allWorkloads());
    }
    auto parsed = parseParameters(type->parameters, parameters);
    if (!parsed) {
        return usage(fmt::format("workload {}: {}", id, parsed.error().message));
    }
    for (const ParameterSpec& spec : type->parameters) {
        if (spec.file != FileRole::none && !textOf(*parsed, spec.name).empty()) {
            return usage(fmt::format("workload {}: {}= names a file, which a lesson may not; leave it out",
                                     id, spec.name));
        }
    }
    study.workload = id;
    study.workloadParameters = std::move(*parsed);
    return {};
}

Result<ArmRequest> armOf(std::string_view text) {
    const auto [id, parameters] = cut(text);
    const SourceType* type = findSource(id);
    if (type == nullptr) {
        return unknown("source", id, allSources());
    }
    auto parsed = parseParameters(type->parameters, parameters);
    if (!parsed) {
        return usage(fmt::format("source {}: {}", id, parsed.error().message));
    }
    return ArmRequest{std::string(id), std::move(*parsed), 1};
}

Status takeSource(LessonStudy& study, Pending&, std::string_view text) {
    auto arm = armOf(text);
    if (!arm) {
        return tl::unexpected(arm.error());
    }
    study.arms.push_back(std::move(*arm));
    return {};
}

Status takeBaseline(LessonStudy&, Pending& pending, std::string_view text) {
    pending.baseline = text;
    return {};
}

Status takeCache(LessonStudy& study, Pending&, std::string_view text) {
    const auto state = cacheStateOf(text);
    if (!state) {
        return usage(
            fmt::format("--cache {}: warm, warm-small, cold, resident or asis is needed", printable(text)));
    }
    study.cache = *state;
    return {};
}

Status takeCap(LessonStudy& study, Pending&, std::string_view text) {
    const auto cap = parseBytes(text);
    if (!cap || cap->isZero()) {
        return usage("--memory-cap: " + (cap ? "more than nothing is needed" : cap.error().message));
    }
    study.memoryCap = *cap;
    return {};
}

template <unsigned LessonStudy::*member>
Status takeCount(LessonStudy& study, std::string_view option, std::string_view text, unsigned least) {
    const auto value = whole(option, text, least, kMostLessonRounds);
    if (!value) {
        return tl::unexpected(value.error());
    }
    study.*member = *value;
    return {};
}

Status takeRounds(LessonStudy& study, Pending&, std::string_view text) {
    return takeCount<&LessonStudy::rounds>(study, "--rounds", text, 1);
}
Status takeWarmup(LessonStudy& study, Pending&, std::string_view text) {
    return takeCount<&LessonStudy::warmups>(study, "--warmup", text, 0);
}
Status takeThreads(LessonStudy&, Pending& pending, std::string_view text) {
    const auto value = whole("--threads", text, 1, Accounts::kMaxArmThreads);
    if (!value) {
        return tl::unexpected(value.error());
    }
    pending.threads = *value;
    return {};
}

struct Word {
    std::string_view name;
    Take take;
    bool repeats = false;
};
constexpr std::array<Word, 9> kWords{{{"--sample", takeSample},
                                      {"--workload", takeWorkload},
                                      {"--source", takeSource, true},
                                      {"--baseline", takeBaseline},
                                      {"--cache", takeCache},
                                      {"--memory-cap", takeCap},
                                      {"--rounds", takeRounds},
                                      {"--warmup", takeWarmup},
                                      {"--threads", takeThreads}}};
constexpr std::string_view kTraceFaults = "--trace-faults";

tl::unexpected<Error> unknownWord(std::string_view word) {
    std::vector<std::string_view> names{kTraceFaults};
    for (const Word& known : kWords) {
        names.push_back(known.name);
    }
    const std::string meant = didYouMean(word, names);
    return usage(fmt::format("\"{}\" is not a word of a study{}", printable(word),
                             meant.empty() ? fmt::format("; there are {}", fmt::join(names, ", ")) : meant));
}

Status takeAll(const Words& words, LessonStudy& study, Pending& pending) {
    std::set<std::string_view> seen;
    for (std::size_t i = 1; i < words.size(); ++i) {
        std::string_view name = words[i];
        std::optional<std::string_view> value;
        if (const std::size_t equals = name.find('=');
            equals != std::string_view::npos && name.starts_with("--")) {
            value = name.substr(equals + 1);
            name = name.substr(0, equals);
        }
        if (name == kTraceFaults && !value) {
            study.traceFaults = true;
            continue;
        }
        const auto known =
            std::find_if(kWords.begin(), kWords.end(), [&](const Word& word) { return word.name == name; });
        if (known == kWords.end()) {
            return unknownWord(name);
        }
        if (!known->repeats && !seen.insert(name).second) {
            return usage(fmt::format("{} stands twice; keep one of them", name));
        }
        if (!value && i + 1 < words.size() && !words[i + 1].starts_with("--")) {
            value = words[++i];
        }
        if (!value || value->empty()) {
            return usage(fmt::format("{} needs a value behind it", name));
        }
        if (auto taken = known->take(study, pending, *value); !taken) {
            return taken;
        }
    }
    return {};
}

/// As planStudy names arms whose threads don't differ.
std::vector<std::string> labelsOf(const std::vector<ArmRequest>& arms) {
    std::set<std::string> taken;
    std::vector<std::string> labels;
    for (const ArmRequest& arm : arms) {
        std::string id = arm.source;
        if (const auto text = formatParameters(findSource(arm.source)->parameters, arm.sourceParameters);
            !text.empty()) {
            id += ":" + text;
        }
        std::string unique = id;
        for (unsigned n = 2; !taken.insert(unique).second; ++n) {
            unique = fmt::format("{}#{}", id, n);
        }
        labels.push_back(std::move(unique));
    }
    return labels;
}

Status settle(LessonStudy& study, const Pending& pending) {
    if (study.size.isZero()) {
        return usage("a study in a lesson needs a sample; add --sample, such as --sample bytes:64MiB");
    }
    if (study.workload.empty()) {
        return usage("a study in a lesson names its workload; add --workload, such as --workload scan");
    }
    if (study.arms.empty()) {
        return usage("a study needs a source; add --source, such as --source mmap");
    }
    if (study.rounds == 0) {
        study.rounds = kLessonRounds;
    }
    if (study.memoryCap && (study.cache == CacheState::resident || study.cache == CacheState::asis)) {
        return usage(
            "--memory-cap with --cache resident or asis: a cache filled outside the cap isn't charged "
            "to it; use warm or cold");
    }
    if (!pending.baseline.empty()) {
        const auto wanted = armOf(pending.baseline);
        if (!wanted) {
            return usage("--baseline: " + wanted.error().message);
        }
        const auto it = std::find_if(study.arms.begin(), study.arms.end(), [&](const ArmRequest& arm) {
            return arm.source == wanted->source && arm.sourceParameters == wanted->sourceParameters;
        });
        if (it == study.arms.end()) {
            return usage(fmt::format("--baseline {}: it is not among the sources; add --source {}",
                                     printable(pending.baseline), printable(pending.baseline)));
        }
        study.baseline = static_cast<std::size_t>(it - study.arms.begin());
    }
    for (ArmRequest& arm : study.arms) {
        arm.threads = pending.threads;
    }
    study.labels = labelsOf(study.arms);
    return {};
}

}  // namespace

Result<LessonStudy> parseLessonStudy(std::string_view text) {
    const Words words = wordsOf(text);
    if (words.empty() || words.front() != "study") {
        if (!words.empty() && words.front() == "lab") {
            return usage(
                "lessons can't run labs in this version; name a study, such as \"study --sample "
                "bytes:64MiB --workload touch --source mmap\"");
        }
        return usage(
            "a run begins with \"study\", such as \"study --sample bytes:64MiB --workload touch "
            "--source mmap\"");
    }
    LessonStudy study;
    study.words = trimmed(text);
    Pending pending;
    if (auto taken = takeAll(words, study, pending); !taken) {
        return tl::unexpected(taken.error());
    }
    if (auto settled = settle(study, pending); !settled) {
        return tl::unexpected(settled.error());
    }
    return study;
}

}  // namespace mmapscope
