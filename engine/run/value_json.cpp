// Outcomes, parameters and samples as JSON.
#include <fmt/format.h>

#include <array>
#include <limits>

#include "run/record_json.h"

namespace mmapscope {
namespace {

/// Outcomes nest one level (sums, first_reject); anything deeper is not ours.
constexpr int kMaxOutcomeDepth = 4;

constexpr std::array kColumns = {
    SampleColumn{"bytes_in", &Sample::bytesIn},
    SampleColumn{"bytes_out", &Sample::bytesOut},
    SampleColumn{"minor_faults", &Sample::minorFaults},
    SampleColumn{"major_faults", &Sample::majorFaults},
    SampleColumn{"rss_anon_bytes", &Sample::rssAnon},
    SampleColumn{"rss_file_bytes", &Sample::rssFile},
    SampleColumn{"rss_shmem_bytes", &Sample::rssShmem},
    SampleColumn{"hugetlb_bytes", &Sample::hugetlb},
    SampleColumn{"page_table_bytes", &Sample::pageTables},
    SampleColumn{"pool_free_pages", &Sample::poolFree},
    SampleColumn{"pool_total_pages", &Sample::poolTotal},
    SampleColumn{"storage_read_bytes", &Sample::storageRead},
    SampleColumn{"thp_eligible", &Sample::thpEligible},
    SampleColumn{"anon_huge_bytes", &Sample::anonHuge},
    SampleColumn{"file_pmd_mapped_bytes", &Sample::filePmdMapped},
    SampleColumn{"shmem_pmd_mapped_bytes", &Sample::shmemPmdMapped},
    SampleColumn{"mapped_size_bytes", &Sample::mappedSize},
    SampleColumn{"mapped_rss_bytes", &Sample::mappedRss},
    SampleColumn{"kernel_page_bytes", &Sample::kernelPage},
    SampleColumn{"mmu_page_bytes", &Sample::mmuPage},
    SampleColumn{"private_hugetlb_bytes", &Sample::privateHugetlb},
    SampleColumn{"shared_hugetlb_bytes", &Sample::sharedHugetlb},
    SampleColumn{"locked_bytes", &Sample::locked},
    SampleColumn{"vm_flags_bits", &Sample::vmFlags},
    SampleColumn{"voluntary_switches", &Sample::voluntarySwitches},
    SampleColumn{"involuntary_switches", &Sample::involuntarySwitches},
    SampleColumn{"machine_pressure_memory_us", &Sample::pressureMemoryUs},
    SampleColumn{"machine_pressure_io_us", &Sample::pressureIoUs},
    SampleColumn{"machine_workingset_refaults", &Sample::workingsetRefaults},
    SampleColumn{"machine_tlb_shootdowns", &Sample::tlbShootdowns},
};
// A new member of Sample must get its column.
static_assert(sizeof(Sample) == (kColumns.size() + 1) * sizeof(std::uint64_t));

Result<Outcome> readOutcome(const Json& json, const std::string& where, int depth) {
    if (!json.is_object()) {
        return fail(ErrorKind::input, where + " is not an object");
    }
    if (depth > kMaxOutcomeDepth) {
        return fail(ErrorKind::input, where + " is nested too deep");
    }
    Outcome outcome;
    JsonReader reader(json, where);
    for (const auto& item : json.items()) {
        const std::string place = where + "." + item.key();
        if (item.value().is_string()) {
            outcome.fields.emplace_back(item.key(), item.value().get<std::string>());
        } else if (item.value().is_object()) {
            auto nested = readOutcome(item.value(), place, depth + 1);
            if (!nested) {
                return nested;
            }
            outcome.fields.emplace_back(item.key(), std::move(*nested));
        } else {
            std::uint64_t number = 0;
            reader.required(item.key(), number);
            outcome.fields.emplace_back(item.key(), number);
        }
    }
    return reader.status().map([&] { return std::move(outcome); });
}

}  // namespace

std::span<const SampleColumn> sampleColumns() {
    return kColumns;
}

Json outcomeToJson(const Outcome& outcome) {
    Json json = Json::object();
    for (const auto& [key, value] : outcome.fields) {
        if (const auto* number = std::get_if<std::uint64_t>(&value.data)) {
            json[key] = *number;
        } else if (const auto* text = std::get_if<std::string>(&value.data)) {
            json[key] = *text;
        } else {
            json[key] = outcomeToJson(std::get<Outcome>(value.data));
        }
    }
    return json;
}

Result<Outcome> outcomeFromJson(const Json& json, const std::string& where) {
    return readOutcome(json, where, 1);
}

Json parametersToJson(const Parameters& parameters) {
    Json json = Json::object();
    for (const auto& [key, value] : parameters) {
        json[key] = rawTextToJson(value);
    }
    return json;
}

Result<Parameters> parametersFromJson(const Json& json, const std::string& where) {
    Parameters parameters;
    JsonReader reader(json, where);
    if (json.is_object()) {
        for (const auto& item : json.items()) {
            reader.required(item.key(), parameters[item.key()]);
        }
    }
    return reader.status().map([&] { return std::move(parameters); });
}

}  // namespace mmapscope
