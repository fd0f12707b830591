#include "run/record_json.h"

#include <fmt/format.h>

#include "run/sample_text.h"

namespace mmapscope {
namespace {

constexpr Phase kPhases[] = {Phase::inspection, Phase::warmup, Phase::measured};
constexpr RunStatus kStatuses[] = {RunStatus::ok, RunStatus::failed, RunStatus::cancelled,
                                   RunStatus::unavailable};
constexpr CacheState kCacheStates[] = {CacheState::warm, CacheState::warmSmall, CacheState::cold,
                                       CacheState::resident, CacheState::asis};
constexpr ErrorKind kErrorKinds[] = {ErrorKind::usage,   ErrorKind::input,     ErrorKind::unavailable,
                                     ErrorKind::changed, ErrorKind::cancelled, ErrorKind::failed};

Json orNull(const std::optional<Bytes>& value) {
    return value ? Json(value->count()) : Json();
}

template <class T>
Json orNull(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
}

Json mappingToJson(const MappingFacts& m) {
    Json json = Json::object();
    json["thp_eligible"] = orNull(m.thpEligible);
    json["kernel_page_bytes"] = orNull(m.kernelPage);
    json["mmu_page_bytes"] = orNull(m.mmuPage);
    json["anon_huge_bytes"] = orNull(m.anonHuge);
    json["file_pmd_mapped_bytes"] = orNull(m.filePmdMapped);
    json["shmem_pmd_mapped_bytes"] = orNull(m.shmemPmdMapped);
    json["hugetlb_bytes"] = orNull(m.hugetlb);
    json["page_table_bytes"] = orNull(m.pageTables);
    json["size_bytes"] = orNull(m.size);
    json["rss_bytes"] = orNull(m.rss);
    json["private_hugetlb_bytes"] = orNull(m.privateHugetlb);
    json["shared_hugetlb_bytes"] = orNull(m.sharedHugetlb);
    json["locked_bytes"] = orNull(m.locked);
    Json& flags = json["vm_flags"] = Json();
    if (m.vmFlags) {
        flags = Json::array();
        for (const VmFlagWords& words : vmFlagWords()) {
            if ((*m.vmFlags & *vmFlagOf(words.code)) != 0) {
                flags.push_back(words.code);
            }
        }
    }
    return json;
}

Result<MappingFacts> mappingFromJson(const Json& json, std::string where) {
    MappingFacts m;
    JsonReader reader(json, std::move(where));
    reader.optional("thp_eligible", m.thpEligible);
    reader.optional("kernel_page_bytes", m.kernelPage);
    reader.optional("mmu_page_bytes", m.mmuPage);
    reader.optional("anon_huge_bytes", m.anonHuge);
    reader.optional("file_pmd_mapped_bytes", m.filePmdMapped);
    reader.optional("shmem_pmd_mapped_bytes", m.shmemPmdMapped);
    reader.optional("hugetlb_bytes", m.hugetlb);
    reader.optional("page_table_bytes", m.pageTables);
    reader.optional("size_bytes", m.size);
    reader.optional("rss_bytes", m.rss);
    reader.optional("private_hugetlb_bytes", m.privateHugetlb);
    reader.optional("shared_hugetlb_bytes", m.sharedHugetlb);
    reader.optional("locked_bytes", m.locked);
    if (json.contains("vm_flags") && !json["vm_flags"].is_null()) {
        std::vector<std::string> codes;
        reader.optional("vm_flags", codes);
        m.vmFlags.emplace(0);
        for (const std::string& code : codes) {
            *m.vmFlags |= vmFlagOf(code).value_or(kOtherVmFlag);
        }
    }
    return reader.status().map([&] { return m; });
}

Json cacheToJson(const CacheFacts& c) {
    Json json = Json::object();
    json["state"] = name(c.state);
    json["reached"] = c.reached;
    json["reason"] = c.reason;
    json["resident_before"] = orNull(c.residentBefore);
    json["resident_after"] = orNull(c.residentAfter);
    json["folio_hint"] = c.folioHint;
    return json;
}

Result<CacheFacts> cacheFromJson(const Json& json, std::string where) {
    CacheFacts c;
    JsonReader reader(json, std::move(where));
    reader.requiredChoice("state", c.state, kCacheStates);
    reader.optional("reached", c.reached);
    reader.optional("reason", c.reason);
    reader.optional("resident_before", c.residentBefore);
    reader.optional("resident_after", c.residentAfter);
    reader.optional("folio_hint", c.folioHint);
    return reader.status().map([&] { return c; });
}

Json stampsToJson(const Stamps& s) {
    Json json = Json::object();
    json["t_ns"] = s.tNs;
    json["bytes"] = s.bytes;
    json["minor_faults"] = s.minorFaults;
    return json;
}

Result<Stamps> stampsFromJson(const Json& json, std::string where) {
    Stamps s;
    JsonReader reader(json, std::move(where));
    reader.optional("t_ns", s.tNs);
    reader.optional("bytes", s.bytes);
    reader.optional("minor_faults", s.minorFaults);
    if (s.bytes.size() != s.tNs.size() || s.minorFaults.size() != s.tNs.size()) {
        reader.wrong("t_ns", "and the other columns differ in length");
    }
    return reader.status().map([&] { return std::move(s); });
}

Json capToJson(const CapFacts& c) {
    Json json = Json::object();
    json["limit_bytes"] = c.limit.count();
    json["effective_bytes"] = c.effective.count();
    json["peak_bytes"] = orNull(c.peak);
    json["file_bytes"] = orNull(c.fileBytes);
    json["out_of_memory"] = c.outOfMemory;
    return json;
}

Result<CapFacts> capFromJson(const Json& json, std::string where) {
    CapFacts c;
    JsonReader reader(json, std::move(where));
    reader.required("limit_bytes", c.limit);
    reader.required("effective_bytes", c.effective);
    reader.optional("peak_bytes", c.peak);
    reader.optional("file_bytes", c.fileBytes);
    reader.optional("out_of_memory", c.outOfMemory);
    return reader.status().map([&] { return c; });
}

/// The optional figures of a split are there or null; the others always.
template <class Split, class Visit>
void visitSplit(Split& s, Visit&& visit) {
    visit("open_ns", s.open);
    visit("deliver_ns", s.deliver);
    visit("consume_ns", s.consume);
    visit("close_ns", s.close);
    visit("other_ns", s.other);
    visit("wait_ns", s.wait);
    visit("run_delay_ns", s.runDelay);
    visit("helper_cpu_ns", s.helperCpu);
    visit("huge_allocation_ns", s.hugeAllocation);
}

Json samplingToJson(const Sampling& s) {
    Json json = Json::object();
    json["period_ns"] = s.period.count();
    json["cost_fraction"] = s.costFraction;
    json["samples"] = Json::object();
    return json;
}

Result<Sampling> samplingFromJson(const Json& json, std::string where) {
    Sampling s;
    JsonReader reader(json, std::move(where));
    reader.optional("period_ns", s.period);
    reader.optional("cost_fraction", s.costFraction);
    (void)reader.object("samples");  // whatever isn't an object or null there is wrong
    return reader.status().map([&] { return std::move(s); });
}

/// The plain figures, in the study file's order; one list for writing and reading.
template <class Record, class Visit>
void visitFigures(Record& r, Visit&& visit) {
    visit("wall_ns", r.wall);
    visit("setup_ns", r.setup);
    visit("cpu_ns", r.cpu);
    visit("user_ns", r.user);
    visit("system_ns", r.system);
    visit("bytes_in", r.bytesIn);
    visit("bytes_out", r.bytesOut);
    visit("minor_faults", r.minorFaults);
    visit("major_faults", r.majorFaults);
    visit("process_minor_faults", r.processMinorFaults);
    visit("process_major_faults", r.processMajorFaults);
    visit("peak_rss_bytes", r.peakRss);
    visit("rss_delta_bytes", r.rssDeltaBytes);
    visit("peak_private_bytes", r.peakPrivate);
    visit("peak_hugetlb_bytes", r.peakHugetlb);
    visit("peak_mapped_cache_bytes", r.peakMappedCache);
    visit("heap_allocated_bytes", r.heapAllocated);
    visit("voluntary_switches", r.voluntarySwitches);
    visit("involuntary_switches", r.involuntarySwitches);
    visit("storage_read_bytes", r.storageRead);
}

Json figure(Nanoseconds value) {
    return value.count();
}
Json figure(const std::optional<Nanoseconds>& value) {
    return value ? Json(value->count()) : Json();
}
Json figure(Bytes value) {
    return value.count();
}
Json figure(std::uint64_t value) {
    return value;
}
template <class T>
Json figure(const std::optional<T>& value) {
    return orNull(value);
}

}  // namespace

Json splitToJson(const TimeSplit& split) {
    Json json = Json::object();
    visitSplit(split, [&](const char* key, const auto& value) { json[key] = figure(value); });
    return json;
}

Result<TimeSplit> splitFromJson(const Json& json, const std::string& where) {
    TimeSplit split;
    JsonReader reader(json, where);
    visitSplit(split, [&](const char* key, auto& value) { reader.optional(key, value); });
    return reader.status().map([&] { return split; });
}

Json toJson(const RunRecord& record) {
    Json json = Json::object();
    json["arm"] = record.arm;
    json["round"] = record.round;
    if (record.limit) {
        json["limit_bytes"] = record.limit->count();
    }
    json["phase"] = name(record.phase);
    json["status"] = name(record.status);
    json["error"] = record.error.empty() ? Json() : Json(record.error);
    json["error_kind"] = record.errorKind ? Json(name(*record.errorKind)) : Json();
    const bool measured = record.status != RunStatus::unavailable && record.wall.count() > 0;
    visitFigures(record,
                 [&](const char* key, const auto& value) { json[key] = measured ? figure(value) : Json(); });
    json["outcome"] = record.outcome ? outcomeToJson(*record.outcome) : Json();
    json["mapping"] = record.mapping ? mappingToJson(*record.mapping) : Json();
    if (record.faultTrace) {
        json["fault_trace"] = faultTraceToJson(*record.faultTrace);
    }
    if (record.split) {
        json["split"] = splitToJson(*record.split);
    }
    if (record.residency) {
        json["residency"] = residencyToJson(*record.residency);
    }
    if (record.cap) {
        json["memory_cap"] = capToJson(*record.cap);
    }
    json["cache"] = cacheToJson(record.cache);
    json["counters"] = Json::object();
    for (const auto& [key, value] : record.counters) {
        json["counters"][key] = value;
    }
    json["sampling"] = samplingToJson(record.sampling);
    json["stamps"] = stampsToJson(record.stamps);
    json["warnings"] = record.warnings;
    return json;
}

Result<RunRecord> runRecordFromJson(const Json& json, const std::string& where) {
    RunRecord record;
    JsonReader reader(json, where);
    reader.required("arm", record.arm);
    reader.required("round", record.round);
    reader.optional("limit_bytes", record.limit);
    reader.requiredChoice("phase", record.phase, kPhases);
    reader.requiredChoice("status", record.status, kStatuses);
    reader.optional("error", record.error);
    if (std::string kind; reader.optional("error_kind", kind), !kind.empty()) {
        reader.requiredChoice("error_kind", record.errorKind.emplace(), kErrorKinds);
    }
    visitFigures(record, [&](const char* key, auto& value) { reader.optional(key, value); });
    if (record.status == RunStatus::ok && record.wall.count() <= 0) {
        reader.wrong("wall_ns", "must be above 0 in a run that is ok");
    }
    const auto nested = [&reader](const char* key, auto decode, auto& out) {
        if (const Json* object = reader.object(key)) {
            if (auto read = decode(*object, reader.placeOf(key))) {
                out = std::move(*read);
            } else {
                reader.adopt(tl::unexpected(read.error()));
            }
        }
    };
    nested("outcome", outcomeFromJson, record.outcome);
    nested("mapping", mappingFromJson, record.mapping);
    nested("fault_trace", faultTraceFromJson, record.faultTrace);
    nested("split", splitFromJson, record.split);
    nested("residency", residencyFromJson, record.residency);
    nested("memory_cap", capFromJson, record.cap);
    nested("cache", cacheFromJson, record.cache);
    nested("sampling", samplingFromJson, record.sampling);
    nested("stamps", stampsFromJson, record.stamps);
    if (const Json* counters = reader.object("counters")) {
        JsonReader values(*counters, reader.placeOf("counters"));
        for (const auto& item : counters->items()) {
            values.optional(item.key(), record.counters[item.key()]);
        }
        reader.adopt(values.status());
    }
    reader.optional("warnings", record.warnings);
    return reader.status().map([&] { return std::move(record); });
}

std::string runRecordToText(const RunRecord& record) {
    const SampleSeries* const series = &record.sampling.samples;
    return putSamples(dumpJson(toJson(record)), {&series, 1});
}

Result<RunRecord> runRecordFromText(std::string_view text, const std::string& where) {
    auto cut = cutSamples(text);
    if (!cut) {
        return fail(ErrorKind::input, fmt::format("{}.{}", where, cut.error().message));
    }
    const auto json = parseJson(cut->rest);
    if (!json) {
        return tl::unexpected(json.error());
    }
    auto record = runRecordFromJson(*json, where);
    if (record && !cut->found.empty()) {
        record->sampling.samples = std::move(cut->found.front().samples);
    }
    return record;
}

}  // namespace mmapscope
