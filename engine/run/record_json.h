// Runs as JSON, in the study file's names (design: Contracts, runs[]). The worker's pipe and the study file
// share this codec. What is absent is written as null; readers take null and a missing key alike.
#pragma once

#include "run/json_reader.h"
#include "run/run_record.h"

namespace mmapscope {

/// All but the samples, in whose place is {} (see run/sample_text.h). Figures of a run that never got to its
/// clock are null, not 0.
[[nodiscard]] Json toJson(const RunRecord& record);
/// Likewise without samples. `where` names the object in errors. Error: input.
[[nodiscard]] Result<RunRecord> runRecordFromJson(const Json& json, const std::string& where = "run");

/// A whole record as text, samples and all.
[[nodiscard]] std::string runRecordToText(const RunRecord& record);
[[nodiscard]] Result<RunRecord> runRecordFromText(std::string_view text, const std::string& where = "run");

/// The study file's fault_trace: columns, and null for an offset outside the file's mappings.
[[nodiscard]] Json faultTraceToJson(const FaultTrace& trace);
[[nodiscard]] Result<FaultTrace> faultTraceFromJson(const Json& json, const std::string& where);

/// An addition to the contract: residency{looks: [{t_ns, cells, sampled}], reason, file_bytes}, cells as two
/// hexadecimal digits each; `sampled` only where true.
[[nodiscard]] Json residencyToJson(const ResidencyHistory& history);
[[nodiscard]] Result<ResidencyHistory> residencyFromJson(const Json& json, const std::string& where);

[[nodiscard]] Json splitToJson(const TimeSplit& split);
[[nodiscard]] Result<TimeSplit> splitFromJson(const Json& json, const std::string& where);

[[nodiscard]] Json outcomeToJson(const Outcome& outcome);
[[nodiscard]] Result<Outcome> outcomeFromJson(const Json& json, const std::string& where = "outcome");

[[nodiscard]] Json stampToJson(const FileStamp& stamp);
[[nodiscard]] Status readStamp(const Json& json, std::string where, FileStamp& stamp);

[[nodiscard]] Json toJson(const RunRequest& request);
[[nodiscard]] Result<RunRequest> runRequestFromJson(const Json& json);

[[nodiscard]] Json parametersToJson(const Parameters& parameters);
[[nodiscard]] Result<Parameters> parametersFromJson(const Json& json, const std::string& where);

/// One column of Sample::* besides t_ns, in the order and by the name the study file writes.
struct SampleColumn {
    std::string_view name;
    std::uint64_t Sample::*member;
};
[[nodiscard]] std::span<const SampleColumn> sampleColumns();

}  // namespace mmapscope
