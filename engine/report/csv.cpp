// CSV for other programs (RFC 4180): one line a record, CRLF, quotes doubled; '.' decimals whatever the
// locale.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "report/tables.h"
#include "run/run_record.h"
#include "source/source.h"
#include "study/arm_figures.h"
#include "study/outcome_check.h"
#include "study/sweep_points.h"
#include "workload/workload.h"

namespace mmapscope {

std::string csvQuoted(std::string_view text) {
    if (text.find_first_of("\",\r\n") == std::string_view::npos) {
        return std::string(text);
    }
    std::string out = "\"";
    for (const char c : text) {
        out += c;
        if (c == '"') {
            out += '"';
        }
    }
    return out + '"';
}

namespace {

std::string cell(std::string_view text) {
    return csvQuoted(text);
}
std::string cell(bool value) {
    return value ? "true" : "false";
}
std::string cell(std::uint64_t value) {
    return fmt::format("{}", value);
}
std::string cell(std::int64_t value) {
    return fmt::format("{}", value);
}
std::string cell(double value) {
    return fmt::format("{}", value);
}
std::string cell(Bytes value) {
    return cell(value.count());
}
std::string cell(Nanoseconds value) {
    return fmt::format("{}", value.count());
}
/// Absent is empty, never 0.
template <class T>
std::string cell(const std::optional<T>& value) {
    return value ? cell(*value) : std::string();
}

template <class Record>
struct Column {
    std::string name;
    std::function<std::string(const Record&)> cell;
};

template <class Record>
std::string csv(const std::vector<Column<Record>>& columns, const std::vector<Record>& records) {
    std::string out;
    const auto line = [&](auto&& cellOf) {
        for (std::size_t c = 0; c < columns.size(); ++c) {
            out += c == 0 ? "" : ",";
            out += cellOf(columns[c]);
        }
        out += "\r\n";
    };
    line([](const auto& column) { return csvQuoted(column.name); });
    for (const Record& record : records) {
        line([&](const auto& column) { return column.cell(record); });
    }
    return out;
}

std::string parametersText(const Parameters& parameters) {
    std::vector<std::string> parts;
    for (const auto& [key, value] : parameters) {
        parts.push_back(key + "=" + value);
    }
    return fmt::format("{}", fmt::join(parts, ","));
}

template <class Record>
void addArmColumns(std::vector<Column<Record>>& columns, const Study& study) {
    const auto add = [&](const char* name, auto get) {
        columns.push_back(
            {name, [&study, get](const Record& record) { return cell(get(study.arms[record.arm])); }});
    };
    columns.push_back({"arm", [](const Record& record) { return cell(std::uint64_t{record.arm}); }});
    add("arm_id", [](const Arm& arm) { return std::string_view(arm.id); });
    add("source", [](const Arm& arm) { return std::string_view(arm.source); });
    add("params", [](const Arm& arm) { return parametersText(arm.sourceParameters); });
    add("workload", [](const Arm& arm) { return std::string_view(arm.workload); });
    add("workload_params", [](const Arm& arm) { return parametersText(arm.workloadParameters); });
    add("threads", [](const Arm& arm) { return std::uint64_t{arm.threads}; });
}

using RunColumns = std::vector<Column<RunRecord>>;

void addFigures(RunColumns& columns) {
    const auto add = [&](const char* name, auto get) {
        columns.push_back({name, [get](const RunRecord& run) { return cell(get(run)); }});
    };
    add("round", [](const RunRecord& r) { return std::uint64_t{r.round}; });
    add("phase", [](const RunRecord& r) { return name(r.phase); });
    add("status", [](const RunRecord& r) { return name(r.status); });
    add("error", [](const RunRecord& r) { return std::string_view(r.error); });
    // Of a run that never got to its clock nothing was measured.
    const auto figure = [&](const char* name, auto member) {
        columns.push_back({name, [member](const RunRecord& run) {
                               return run.wall.count() > 0 ? cell(run.*member) : std::string();
                           }});
    };
    figure("wall_ns", &RunRecord::wall);
    figure("setup_ns", &RunRecord::setup);
    figure("cpu_ns", &RunRecord::cpu);
    figure("user_ns", &RunRecord::user);
    figure("system_ns", &RunRecord::system);
    figure("bytes_in", &RunRecord::bytesIn);
    figure("bytes_out", &RunRecord::bytesOut);
    figure("minor_faults", &RunRecord::minorFaults);
    figure("major_faults", &RunRecord::majorFaults);
    figure("process_minor_faults", &RunRecord::processMinorFaults);
    figure("process_major_faults", &RunRecord::processMajorFaults);
    figure("peak_rss_bytes", &RunRecord::peakRss);
    figure("rss_delta_bytes", &RunRecord::rssDeltaBytes);
    figure("peak_private_bytes", &RunRecord::peakPrivate);
    figure("peak_hugetlb_bytes", &RunRecord::peakHugetlb);
    figure("peak_mapped_cache_bytes", &RunRecord::peakMappedCache);
    figure("heap_allocated_bytes", &RunRecord::heapAllocated);
    figure("voluntary_switches", &RunRecord::voluntarySwitches);
    figure("involuntary_switches", &RunRecord::involuntarySwitches);
    figure("storage_read_bytes", &RunRecord::storageRead);
    add("cache_state", [](const RunRecord& r) { return name(r.cache.state); });
    add("cache_reached", [](const RunRecord& r) { return r.cache.reached; });
    add("cache_reason", [](const RunRecord& r) { return std::string_view(r.cache.reason); });
    add("cache_resident_before", [](const RunRecord& r) { return r.cache.residentBefore; });
    add("cache_resident_after", [](const RunRecord& r) { return r.cache.residentAfter; });
    add("cache_folio_hint", [](const RunRecord& r) { return std::string_view(r.cache.folioHint); });
    add("sampling_period_ns", [](const RunRecord& r) { return r.sampling.period; });
    add("sampling_cost_fraction", [](const RunRecord& r) { return r.sampling.costFraction; });
}

void addMapping(RunColumns& columns) {
    const auto add = [&](const char* name, auto member) {
        columns.push_back({std::string("mapping_") + name, [member](const RunRecord& run) {
                               return run.mapping ? cell((*run.mapping).*member) : std::string();
                           }});
    };
    add("thp_eligible", &MappingFacts::thpEligible);
    add("kernel_page_bytes", &MappingFacts::kernelPage);
    add("mmu_page_bytes", &MappingFacts::mmuPage);
    add("anon_huge_bytes", &MappingFacts::anonHuge);
    add("file_pmd_mapped_bytes", &MappingFacts::filePmdMapped);
    add("shmem_pmd_mapped_bytes", &MappingFacts::shmemPmdMapped);
    add("hugetlb_bytes", &MappingFacts::hugetlb);
    add("page_table_bytes", &MappingFacts::pageTables);
}

/// outcome_sums_price for {"sums": {"price": …}}.
using FlatOutcome = std::vector<std::pair<std::string, std::string>>;
void flatten(const Outcome& outcome, const std::string& prefix, FlatOutcome& out) {
    for (const auto& [key, value] : outcome.fields) {
        if (const auto* nested = std::get_if<Outcome>(&value.data)) {
            flatten(*nested, prefix + key + "_", out);
        } else if (const auto* text = std::get_if<std::string>(&value.data)) {
            out.emplace_back(prefix + key, *text);
        } else {
            out.emplace_back(prefix + key, outcomeText(value));
        }
    }
}

FlatOutcome flatOutcome(const RunRecord& run) {
    FlatOutcome out;
    if (run.outcome) {
        flatten(*run.outcome, "outcome_", out);
    }
    return out;
}

/// One column for every key any run has, in the order they appear.
void addOutcomes(RunColumns& columns, const Study& study) {
    std::set<std::string> known;
    for (const RunRecord& run : study.runs) {
        for (const auto& [key, value] : flatOutcome(run)) {
            if (known.insert(key).second) {
                columns.push_back({key, [key = key](const RunRecord& record) {
                                       for (const auto& [name, text] : flatOutcome(record)) {
                                           if (name == key) {
                                               return cell(std::string_view(text));
                                           }
                                       }
                                       return std::string();
                                   }});
            }
        }
    }
}

void addCounters(RunColumns& columns, const Study& study) {
    std::set<std::string> keys;
    for (const RunRecord& run : study.runs) {
        for (const auto& [key, value] : run.counters) {
            keys.insert(key);
        }
    }
    for (const std::string& key : keys) {
        columns.push_back({"counter_" + key, [key](const RunRecord& run) {
                               const auto it = run.counters.find(key);
                               return it == run.counters.end() ? std::string() : cell(it->second);
                           }});
    }
}

/// An arm's summary at one size of a sweep.
struct SizedSummary : ArmSummary {
    Bytes size;
};

template <class Record>
void addSummaryColumns(std::vector<Column<Record>>& columns, const Study& study) {
    const auto add = [&](const char* name, auto get) {
        columns.push_back({name, [get](const Record& summary) { return cell(get(summary)); }});
    };
    add("runs", [](const ArmSummary& s) { return std::uint64_t{s.runs}; });
    add("median_wall_ns", [](const ArmSummary& s) { return s.medianWall; });
    add("min_wall_ns", [](const ArmSummary& s) { return s.minWall; });
    add("max_wall_ns", [](const ArmSummary& s) { return s.maxWall; });
    add("mad_wall_ns", [](const ArmSummary& s) { return s.madWall; });
    add("median_bytes_per_s", [](const ArmSummary& s) { return s.medianBytesPerSecond; });
    const std::string_view counted = countsDecodedBytes(study) ? "bytes_out" : "bytes_in";
    add("bytes_counted", [counted](const ArmSummary&) { return counted; });
    add("ratio", [](const ArmSummary& s) { return s.ratio; });
    add("ratio_low", [](const ArmSummary& s) { return s.ratioLow; });
    add("ratio_high", [](const ArmSummary& s) { return s.ratioHigh; });
    add("verdict", [](const ArmSummary& s) { return name(s.verdict); });
    add("unranked_reason", [](const ArmSummary& s) { return std::string_view(s.unrankedReason); });
    add("outcomes_agree", [](const ArmSummary& s) { return s.outcomesAgree; });
}

}  // namespace

std::string runsToCsv(const Study& study) {
    RunColumns columns;
    addArmColumns(columns, study);
    if (study.sweep) {
        columns.push_back({"limit_bytes", [](const RunRecord& run) { return cell(run.limit); }});
    }
    addFigures(columns);
    addMapping(columns);
    addOutcomes(columns, study);
    addCounters(columns, study);
    columns.push_back({"warnings", [](const RunRecord& run) {
                           return cell(std::string_view(fmt::format("{}", fmt::join(run.warnings, "; "))));
                       }});
    return csv(columns, study.runs);
}

std::string summaryToCsv(const Study& study) {
    if (!study.sweep) {
        std::vector<Column<ArmSummary>> columns;
        addArmColumns(columns, study);
        addSummaryColumns(columns, study);
        return csv(columns, study.summary);
    }
    std::vector<SizedSummary> records;
    for (const Bytes size : sizesOf(study)) {
        for (const ArmSummary& summary : pointOf(study, size).summary) {
            records.push_back({summary, size});
        }
    }
    std::vector<Column<SizedSummary>> columns;
    columns.push_back({"limit_bytes", [](const SizedSummary& record) { return cell(record.size); }});
    addArmColumns(columns, study);
    addSummaryColumns(columns, study);
    return csv(columns, records);
}

}  // namespace mmapscope
