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

constexpr std::uint64_t kMaxValue = std::numeric_limits<std::int64_t>::max();

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

/// Adds the differences of one column up; null stays kNotAvailable.
template <class Store>
Status readColumn(const Json& column, const std::string& place, bool nullable, Store&& store) {
    std::int64_t value = 0;
    std::size_t row = 0;
    for (const Json& element : column) {
        if (element.is_null() && nullable) {
            store(row++, kNotAvailable);
            continue;
        }
        if (!element.is_number_integer()) {
            return fail(ErrorKind::input, fmt::format("{}[{}] is not a whole number", place, row));
        }
        const bool tooLarge = element.is_number_unsigned() && element.get<std::uint64_t>() > kMaxValue;
        if (tooLarge || __builtin_add_overflow(value, element.get<std::int64_t>(), &value) || value < 0) {
            return fail(ErrorKind::input, fmt::format("{}[{}] adds up out of range", place, row));
        }
        store(row++, static_cast<std::uint64_t>(value));
    }
    return {};
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

Json samplesToJson(const std::vector<Sample>& samples) {
    Json json = Json::object();
    Json& times = json["t_ns"] = Json::array();
    std::int64_t lastTime = 0;
    for (const Sample& sample : samples) {
        times.push_back(sample.tNs - lastTime);
        lastTime = sample.tNs;
    }
    for (const SampleColumn& column : kColumns) {
        Json values = Json::array();
        std::int64_t last = 0;
        for (const Sample& sample : samples) {
            const std::uint64_t value = sample.*column.member;
            if (value > kMaxValue) {  // kNotAvailable; nothing real is larger than 63 bits
                values.push_back(nullptr);
            } else {
                values.push_back(static_cast<std::int64_t>(value) - last);
                last = static_cast<std::int64_t>(value);
            }
        }
        json[std::string(column.name)] = std::move(values);
    }
    return json;
}

Result<std::vector<Sample>> samplesFromJson(const Json& json, const std::string& where) {
    std::vector<Sample> samples;
    JsonReader reader(json, where);
    if (const Json* times = reader.array("t_ns")) {
        samples.resize(times->size());
        reader.adopt(readColumn(*times, reader.placeOf("t_ns"), false, [&](std::size_t row, std::uint64_t v) {
            samples[row].tNs = static_cast<std::int64_t>(v);
        }));
    }
    for (const SampleColumn& column : kColumns) {
        const Json* values = reader.array(column.name);
        if (values == nullptr) {
            for (Sample& sample : samples) {
                sample.*column.member = kNotAvailable;
            }
        } else if (values->size() != samples.size()) {
            reader.wrong(column.name, "differs in length from t_ns");
        } else {
            reader.adopt(
                readColumn(*values, reader.placeOf(column.name), true,
                           [&](std::size_t row, std::uint64_t v) { samples[row].*column.member = v; }));
        }
    }
    return reader.status().map([&] { return std::move(samples); });
}

}  // namespace mmapscope
