// Study → JSON.
#include <fmt/format.h>

#include "report/attribution_json.h"
#include "report/study_file.h"
#include "report/study_format.h"
#include "run/record_json.h"
#include "run/sample_text.h"

namespace mmapscope {
namespace {

Json figure(const std::optional<Bytes>& value) {
    return value ? Json(value->count()) : Json();
}
Json figure(const std::optional<Nanoseconds>& value) {
    return value ? Json(value->count()) : Json();
}
template <class T>
Json figure(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
}

Json thpToJson(const ThpSettings& thp) {
    Json json = Json::object();
    json["enabled"] = figure(thp.enabled);
    json["defrag"] = figure(thp.defrag);
    json["shmem_enabled"] = figure(thp.shmemEnabled);
    Json& sizes = json["sizes"] = Json::array();
    for (const ThpSize& size : thp.sizes) {
        Json one = Json::object();
        one["bytes"] = size.size.count();
        one["enabled"] = figure(size.enabled);
        one["shmem_enabled"] = figure(size.shmemEnabled);
        sizes.push_back(std::move(one));
    }
    return json;
}

Json poolToJson(const HugePagePool& pool) {
    Json json = Json::object();
    json["size_bytes"] = pool.size.count();
    json["total"] = pool.total;
    json["free"] = pool.free;
    json["reserved"] = pool.reserved;
    json["surplus"] = pool.surplus;
    return json;
}

Json environmentToJson(const Environment& e) {
    Json json = Json::object();
    json["tool_version"] = e.toolVersion;
    json["kernel"] = e.kernel;
    json["cpu"] = e.cpu;
    json["cores"] = e.cores;
    json["memory_bytes"] = figure(e.memory);
    json["page_bytes"] = e.page.count();
    json["thp"] = thpToJson(e.thp);
    json["huge_pages"] = e.hugePages ? poolToJson(*e.hugePages) : Json();
    if (!e.host.empty()) {
        json["host"] = rawTextToJson(e.host);
    }
    json["filesystem"] = e.filesystem;
    json["device"] = rawTextToJson(e.device);
    json["mount_options"] = rawTextToJson(e.mountOptions);
    json["storage_class"] = name(e.storage);
    json["governor"] = figure(e.governor);
    json["swappiness"] = figure(e.swappiness);
    json["mglru"] = figure(e.mglru);
    json["cgroup_version"] = figure(e.cgroupVersion);
    json["read_ahead_bytes"] = figure(e.readAhead);
    json["libzstd"] = e.libzstd;
    json["openssl"] = e.openssl;
    json["virtual_machine"] = figure(e.virtualMachine);
    json["counters"] = Json::object();
    for (const auto& [key, available] : e.counters) {
        json["counters"][key] = available;
    }
    return json;
}

Json planToJson(const Plan& p) {
    Json json = Json::object();
    if (!p.host.empty()) {
        json["host"] = p.host;
    }
    json["file"] = rawTextToJson(p.file);
    json["file_bytes"] = p.fileBytes.count();
    if (p.folderFiles > 0) {
        json["folder_files"] = p.folderFiles;
    }
    json["limit_bytes"] = figure(p.limit);
    json["workload"] = p.workload;
    json["rounds"] = p.rounds > 0 ? Json(p.rounds) : Json();  // null: not fixed yet
    json["warmups"] = p.warmups;
    json["order_seed"] = p.orderSeed;
    json["cache"] = name(p.cache);
    json["memory_cap_bytes"] = figure(p.memoryCap);
    json["isolation"] = name(p.isolation);
    json["baseline"] = p.baseline;
    return json;
}

Json armToJson(const Arm& arm) {
    Json json = Json::object();
    json["id"] = arm.id;
    json["source"] = arm.source;
    json["params"] = parametersToJson(arm.sourceParameters);
    json["workload"] = arm.workload;
    json["workload_params"] = parametersToJson(arm.workloadParameters);
    json["threads"] = arm.threads;
    return json;
}

Json summaryToJson(const ArmSummary& s) {
    Json json = Json::object();
    json["arm"] = s.arm;
    json["runs"] = s.runs;
    json["median_wall_ns"] = figure(s.medianWall);
    json["min_wall_ns"] = figure(s.minWall);
    json["max_wall_ns"] = figure(s.maxWall);
    json["mad_wall_ns"] = figure(s.madWall);
    json["median_bytes_per_s"] = figure(s.medianBytesPerSecond);
    json["ratio"] = figure(s.ratio);
    json["ratio_low"] = figure(s.ratioLow);
    json["ratio_high"] = figure(s.ratioHigh);
    json["verdict"] = name(s.verdict);
    json["unranked_reason"] = s.unrankedReason.empty() ? Json() : Json(s.unrankedReason);
    json["outcomes_agree"] = figure(s.outcomesAgree);
    return json;
}

}  // namespace

std::string studyToJson(const Study& study) {
    Json json = Json::object();
    json["format"] = kStudyFormat;
    json["version"] = kStudyVersion;
    json["complete"] = study.complete;
    for (const auto& [key, words] : {std::pair("title", &study.title), {"note", &study.note}}) {
        if (!words->empty()) {
            json[key] = *words;
        }
    }
    json["environment"] = environmentToJson(study.environment);
    json["plan"] = planToJson(study.plan);
    Json& arms = json["arms"] = Json::array();
    for (const Arm& arm : study.arms) {
        arms.push_back(armToJson(arm));
    }
    Json& summary = json["summary"] = Json::array();
    for (const ArmSummary& one : study.summary) {
        summary.push_back(summaryToJson(one));
    }
    Json& attribution = json["attribution"] = Json::array();
    for (const Attribution& one : study.attribution) {
        attribution.push_back(attributionToJson(one));
    }
    Json& splitRuns = json["split_runs"] = Json::array();
    for (const SplitRun& one : study.splitRuns) {
        splitRuns.push_back(splitRunToJson(one));
    }
    if (study.sweep) {
        json["sweep"] = sweepToJson(*study.sweep);
    }
    Json& crossovers = json["crossovers"] = Json::array();
    for (const Crossover& one : study.crossovers) {
        crossovers.push_back(crossoverToJson(one));
    }
    json["warnings"] = study.warnings;
    Json& runs = json["runs"] = Json::array();
    for (const RunRecord& run : study.runs) {
        runs.push_back(toJson(run));
    }
    std::vector<const SampleSeries*> series;
    for (const RunRecord& run : study.runs) {
        series.push_back(&run.sampling.samples);
    }
    return putSamples(dumpJson(json), series) + "\n";
}

}  // namespace mmapscope
