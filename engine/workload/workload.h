// A workload: what is done with the bytes. One instance a thread; the instances' results are merged.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/accounting.h"
#include "core/parameters.h"
#include "core/result.h"
#include "core/units.h"
#include "probe/file_facts.h"

namespace mmapscope {

/// What a workload computed: named values in a fixed order; nested for sums and first_reject.
struct Outcome {
    struct Value;
    using Field = std::pair<std::string, Value>;
    std::vector<Field> fields;

    [[nodiscard]] const Value* find(std::string_view key) const;
    friend bool operator==(const Outcome&, const Outcome&);
};
struct Outcome::Value {
    std::variant<std::uint64_t, std::string, Outcome> data;
    Value(std::uint64_t v) : data(v) {}
    Value(std::string v) : data(std::move(v)) {}
    Value(Outcome v) : data(std::move(v)) {}
    friend bool operator==(const Value&, const Value&) = default;
};

struct WorkloadInput {
    Range range;           ///< this instance's part of the file
    Range whole;           ///< all that the run reads
    std::string fileName;  ///< last path component (a torrent's name)
    bool digest = false;   ///< inspection run: also compute what would cost too much in a measured one
    std::stop_token stop;
    std::span<const FileMember> members = {};  ///< of a folder; outlive the workload
};

class Workload {
  public:
    Workload() = default;
    Workload(const Workload&) = delete;
    Workload& operator=(const Workload&) = delete;
    virtual ~Workload() = default;

    /// The next bytes of the range, in order, in pieces of any length. Bytes may be kept only by copying
    /// them. Calls checkpoint(stop) at least every 4 MiB of output. Adds to the thread account's bytesOut
    /// whatever it produces; never allocates per span. Error: input, naming offset and reason; cancelled.
    [[nodiscard]] virtual Status consume(std::span<const std::byte> bytes) = 0;
    /// What the next calls of consume() will be given, one part after the other: readable until the last of
    /// them returns, so that a workload that needs several places of the file at once can look ahead. The run
    /// says so for each span of the source before it cuts it; a workload must also do without.
    virtual void lookAhead(std::span<const std::byte>) {}
    /// After the last span of the range. Error: input (truncated).
    [[nodiscard]] virtual Status finish() = 0;
    /// Called on the first instance with all instances of the run (itself first), in range order, all
    /// finished.
    [[nodiscard]] virtual Result<Outcome> outcome(std::span<Workload* const> all) const = 0;
};

struct WorkloadType {
    std::string_view id;
    std::string_view summary;
    std::vector<ParameterSpec> parameters;
    bool producesOutput = false;  ///< throughput is of bytes_out (zstd), else of bytes_in

    /// Before any run: replaces "auto" by what the file says (schema, piece length), as text in `parameters`,
    /// and refuses a file the workload can't work on, in words (ErrorKind::input). Reads at most 1 MiB of it.
    Result<Parameters> (*resolve)(const FileFacts& file, const Parameters& parameters);
    /// Moves a byte limit to where the workload can stop (line end, frame end); 0 < limit <= file size.
    Result<Bytes> (*fitLimit)(const FileFacts& file, const Parameters& parameters, Bytes limit);
    /// Cuts [0, limit) into exactly `threads` ranges (some possibly empty) at places the workload can start
    /// at. Error: unavailable, when it can't be split and threads > 1, with the reason. `parameters` are
    /// resolved.
    Result<std::vector<Range>> (*split)(const FileFacts& file, const Parameters& parameters, Bytes limit,
                                        unsigned threads);
    /// `parameters` are resolved. Runs before the clock, on the thread that will consume. Error: unavailable
    /// (an engine this CPU or library doesn't have).
    Result<std::unique_ptr<Workload>> (*create)(const Parameters& parameters, const WorkloadInput& input);
    /// A sentence about the file as this workload sees it ("zstd, 1 frame, window 2 MiB, 241 MiB → 1 GiB",
    /// "tick CSV, binance-spot-trades, no header"), for Target and `arms FILE`. Empty when there is none to
    /// say.
    std::string (*describe)(const FileFacts& file, const Parameters& parameters);
    bool takesFolders = false;  ///< a folder's files, one after the other, make sense to it as one
};

[[nodiscard]] const std::vector<const WorkloadType*>& allWorkloads();
/// nullptr when there is none of that id.
[[nodiscard]] const WorkloadType* findWorkload(std::string_view id);

/// WorkloadType::resolve, after the refusal of a folder to a workload that works on one file.
[[nodiscard]] Result<Parameters> resolveFor(const WorkloadType& type, const FileFacts& input,
                                            const Parameters& parameters);

/// The workload to preselect for a file: zstd by its magic number, ticks when a schema fits, else scan.
[[nodiscard]] const WorkloadType& suggestWorkload(const FileFacts& file);

}  // namespace mmapscope
