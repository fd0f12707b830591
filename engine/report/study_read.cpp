// JSON → study. Every value is outside input.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "report/attribution_json.h"
#include "report/study_file.h"
#include "report/study_format.h"
#include "run/record_json.h"
#include "run/sample_text.h"
#include "study/statistics.h"

namespace mmapscope {
namespace {

constexpr StorageClass kStorageClasses[] = {
    StorageClass::nvme, StorageClass::ssd,     StorageClass::rotational, StorageClass::virtualDisk,
    StorageClass::fuse, StorageClass::network, StorageClass::memory,     StorageClass::unknown};
constexpr CacheState kCacheStates[] = {CacheState::warm, CacheState::warmSmall, CacheState::cold,
                                       CacheState::resident, CacheState::asis};
constexpr Isolation kIsolations[] = {Isolation::worker, Isolation::inProcess};
constexpr Verdict kVerdicts[] = {Verdict::baseline, Verdict::faster, Verdict::slower, Verdict::tied,
                                 Verdict::unranked};

/// Every element of an array member by `decode(element, where)`, into `out`.
template <class T, class Decode>
void readAll(JsonReader& reader, const char* key, std::vector<T>& out, Decode decode) {
    const Json* array = reader.array(key);
    if (array == nullptr) {
        return;
    }
    for (std::size_t i = 0; i < array->size() && reader.status(); ++i) {
        if (auto read = decode((*array)[i], fmt::format("{}[{}]", reader.placeOf(key), i))) {
            out.push_back(std::move(*read));
        } else {
            reader.adopt(tl::unexpected(read.error()));
        }
    }
}

Result<ThpSize> thpSizeFromJson(const Json& json, const std::string& where) {
    ThpSize size;
    JsonReader reader(json, where);
    reader.required("bytes", size.size);
    reader.optional("enabled", size.enabled);
    reader.optional("shmem_enabled", size.shmemEnabled);
    return reader.status().map([&] { return std::move(size); });
}

Result<HugePagePool> poolFromJson(const Json& json, std::string where) {
    HugePagePool pool;
    JsonReader reader(json, std::move(where));
    reader.required("size_bytes", pool.size);
    reader.required("total", pool.total);
    reader.required("free", pool.free);
    reader.optional("reserved", pool.reserved);
    reader.optional("surplus", pool.surplus);
    return reader.status().map([&] { return pool; });
}

Result<Environment> environmentFromJson(const Json& json, std::string where) {
    Environment e;
    JsonReader reader(json, std::move(where));
    reader.optional("host", e.host);
    reader.optional("tool_version", e.toolVersion);
    reader.optional("kernel", e.kernel);
    reader.optional("cpu", e.cpu);
    reader.optional("cores", e.cores);
    reader.optional("memory_bytes", e.memory);
    reader.optional("page_bytes", e.page);
    if (const Json* thp = reader.object("thp")) {
        JsonReader settings(*thp, reader.placeOf("thp"));
        settings.optional("enabled", e.thp.enabled);
        settings.optional("defrag", e.thp.defrag);
        settings.optional("shmem_enabled", e.thp.shmemEnabled);
        readAll(settings, "sizes", e.thp.sizes, thpSizeFromJson);
        reader.adopt(settings.status());
    }
    if (const Json* huge = reader.object("huge_pages")) {
        if (auto pool = poolFromJson(*huge, reader.placeOf("huge_pages"))) {
            e.hugePages = *pool;
        } else {
            reader.adopt(tl::unexpected(pool.error()));
        }
    }
    reader.optional("filesystem", e.filesystem);
    reader.optional("device", e.device);
    reader.optional("mount_options", e.mountOptions);
    // A class a later version knows is one this version can't tell.
    if (std::string storage; reader.optional("storage_class", storage), !storage.empty()) {
        const auto known = std::find_if(std::begin(kStorageClasses), std::end(kStorageClasses),
                                        [&](StorageClass c) { return name(c) == storage; });
        e.storage = known == std::end(kStorageClasses) ? StorageClass::unknown : *known;
    }
    reader.optional("governor", e.governor);
    reader.optional("swappiness", e.swappiness);
    reader.optional("mglru", e.mglru);
    reader.optional("cgroup_version", e.cgroupVersion);
    reader.optional("read_ahead_bytes", e.readAhead);
    reader.optional("libzstd", e.libzstd);
    reader.optional("openssl", e.openssl);
    reader.optional("virtual_machine", e.virtualMachine);
    if (const Json* counters = reader.object("counters")) {
        JsonReader values(*counters, reader.placeOf("counters"));
        for (const auto& item : counters->items()) {
            bool available = false;
            values.optional(item.key(), available);
            e.counters[item.key()] = available;
        }
        reader.adopt(values.status());
    }
    return reader.status().map([&] { return std::move(e); });
}

Result<Plan> planFromJson(const Json& json, std::string where) {
    Plan p;
    JsonReader reader(json, std::move(where));
    reader.optional("host", p.host);
    reader.required("file", p.file);
    reader.required("file_bytes", p.fileBytes);
    reader.optional("folder_files", p.folderFiles);
    reader.optional("limit_bytes", p.limit);
    reader.required("workload", p.workload);
    reader.optional("rounds", p.rounds);
    reader.optional("warmups", p.warmups);
    reader.optional("order_seed", p.orderSeed);
    reader.requiredChoice("cache", p.cache, kCacheStates);
    reader.optional("memory_cap_bytes", p.memoryCap);
    reader.requiredChoice("isolation", p.isolation, kIsolations);
    reader.optional("baseline", p.baseline);
    return reader.status().map([&] { return std::move(p); });
}

Result<Arm> armFromJson(const Json& json, const std::string& where) {
    Arm arm;
    JsonReader reader(json, where);
    reader.required("id", arm.id);
    reader.required("source", arm.source);
    reader.required("workload", arm.workload);
    reader.required("threads", arm.threads);
    const auto parameters = [&](const char* key, Parameters& out) {
        if (const Json* object = reader.object(key)) {
            if (auto read = parametersFromJson(*object, reader.placeOf(key))) {
                out = std::move(*read);
            } else {
                reader.adopt(tl::unexpected(read.error()));
            }
        }
    };
    parameters("params", arm.sourceParameters);
    parameters("workload_params", arm.workloadParameters);
    return reader.status().map([&] { return std::move(arm); });
}

Result<ArmSummary> summaryFromJson(const Json& json, const std::string& where) {
    ArmSummary s;
    JsonReader reader(json, where);
    reader.required("arm", s.arm);
    reader.required("runs", s.runs);
    reader.optional("median_wall_ns", s.medianWall);
    reader.optional("min_wall_ns", s.minWall);
    reader.optional("max_wall_ns", s.maxWall);
    reader.optional("mad_wall_ns", s.madWall);
    reader.optional("median_bytes_per_s", s.medianBytesPerSecond);
    reader.optional("ratio", s.ratio);
    reader.optional("ratio_low", s.ratioLow);
    reader.optional("ratio_high", s.ratioHigh);
    reader.requiredChoice("verdict", s.verdict, kVerdicts);
    reader.optional("unranked_reason", s.unrankedReason);
    reader.optional("outcomes_agree", s.outcomesAgree);
    return reader.status().map([&] { return std::move(s); });
}

constexpr std::string_view kAdvice = "choose a file that `mmapscope-cli run --json` or the window wrote";

/// Whether it is a study of a version that can be read.
Status headOf(const Json& json) {
    if (!json.contains("format")) {
        return fail(ErrorKind::input,
                    fmt::format("this is JSON, but not a study: format is missing; {}", kAdvice));
    }
    JsonReader reader(json, "");
    std::string format;
    std::uint64_t version = 0;
    reader.required("format", format);
    if (reader.status() && format != kStudyFormat) {
        return fail(ErrorKind::input,
                    fmt::format("this is not a study: its format is \"{}\" instead of \"{}\"",
                                printable(format), kStudyFormat));
    }
    reader.required("version", version);
    if (reader.status() && version > kStudyVersion) {
        return fail(
            ErrorKind::input,
            fmt::format("the study is of version {} and this program reads up to {}: open it with a newer "
                        "mmapscope",
                        version, kStudyVersion));
    }
    if (reader.status() && version == 0) {
        reader.wrong("version", "0 never was");
    }
    return reader.status();
}

/// Arms are named by index everywhere else.
void checkIndices(JsonReader& reader, const Study& study) {
    const auto count = study.arms.size();
    const auto outside = [&](const std::string& place, std::uint32_t arm) {
        if (arm >= count) {
            reader.wrong(place, fmt::format("is {}, and there are {} arms", arm, count));
        }
    };
    if (count == 0) {
        reader.wrong("arms", "is empty");
    }
    outside("plan.baseline", study.plan.baseline);
    for (std::size_t i = 0; i < study.runs.size(); ++i) {
        outside(fmt::format("runs[{}].arm", i), study.runs[i].arm);
    }
    for (std::size_t i = 0; i < study.crossovers.size(); ++i) {
        outside(fmt::format("crossovers[{}].arm", i), study.crossovers[i].arm);
        outside(fmt::format("crossovers[{}].baseline", i), study.crossovers[i].baseline);
    }
    for (std::size_t i = 0; i < study.attribution.size(); ++i) {
        outside(fmt::format("attribution[{}].arm", i), study.attribution[i].arm);
    }
}

/// The summary follows the arms, one each; whatever shows it relies on that.
bool summaryFollowsArms(const Study& study) {
    std::uint32_t next = 0;
    return study.summary.size() == study.arms.size() &&
           std::all_of(study.summary.begin(), study.summary.end(),
                       [&](const ArmSummary& s) { return s.arm == next++; });
}

}  // namespace

Result<Study> studyFromJson(std::string_view text, const std::function<void(std::size_t)>& consumed) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) {
        return fail(ErrorKind::input, fmt::format("the file is empty, so it is no study; {}", kAdvice));
    }
    if (text[first] != '{') {
        return fail(ErrorKind::input,
                    fmt::format("this is not a study, which begins with '{{'; {}", kAdvice));
    }
    auto cut = cutSamples(text, consumed);
    if (!cut) {
        // What a later version means by samples isn't this one's to judge.
        const auto json = parseJson(consumed ? std::string_view() : text);
        const Status head = json ? headOf(*json) : Status();
        return tl::unexpected(head ? cut.error() : head.error());
    }
    const auto json = parseJson(std::exchange(cut->rest, {}));
    if (!json) {
        // Said of the text as it is, where samples weren't taken out of it.
        const auto whole = parseJson(consumed ? std::string_view() : text);
        return fail(ErrorKind::input, fmt::format("not a whole study file: {}; get a whole copy of it",
                                                  (whole ? json : whole).error().message));
    }
    if (const Status head = headOf(*json); !head) {
        return tl::unexpected(head.error());
    }
    JsonReader reader(*json, "");
    Study study;
    const auto part = [&](const char* key, auto decode, auto& out) {
        const Json* object = reader.object(key);
        if (object == nullptr) {
            reader.wrong(key, "is missing");
        } else if (auto read = decode(*object, reader.placeOf(key))) {
            out = std::move(*read);
        } else {
            reader.adopt(tl::unexpected(read.error()));
        }
    };
    part("environment", environmentFromJson, study.environment);
    part("plan", planFromJson, study.plan);
    readAll(reader, "arms", study.arms, armFromJson);
    readAll(reader, "runs", study.runs, runRecordFromJson);
    for (FoundSamples& found : cut->found) {
        if (found.run && *found.run < study.runs.size()) {
            study.runs[*found.run].sampling.samples = std::move(found.samples);
        }
    }
    readAll(reader, "summary", study.summary, summaryFromJson);
    readAll(reader, "attribution", study.attribution, attributionFromJson);
    readAll(reader, "split_runs", study.splitRuns, splitRunFromJson);
    if (const Json* sweep = reader.object("sweep")) {
        if (auto read = sweepFromJson(*sweep, reader.placeOf("sweep"))) {
            study.sweep = std::move(*read);
        } else {
            reader.adopt(tl::unexpected(read.error()));
        }
    }
    readAll(reader, "crossovers", study.crossovers, crossoverFromJson);
    reader.optional("warnings", study.warnings);
    reader.optional("complete", study.complete);
    reader.optional("title", study.title);
    reader.optional("note", study.note);
    if (reader.status()) {
        checkIndices(reader, study);
    }
    if (reader.status() && !summaryFollowsArms(study)) {
        summarize(study);
    }
    return reader.status().map([&] { return std::move(study); });
}

}  // namespace mmapscope
