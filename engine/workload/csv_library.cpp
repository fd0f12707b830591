// `csv-library`: the rows and sums of `ticks` through a general CSV library, for a baseline. The library
// splits lines into fields; what a field means, and what is wrong with a row, are the rules of `ticks`, so
// that the outcomes are equal. Outcome: tickOutcome().
#include <optional>

#include "workload/csv_engine.h"
#include "workload/csv_input.h"
#include "workload/registry.h"
#include "workload/tick_detect.h"
#include "workload/tick_workload.h"

namespace mmapscope {
namespace {

constexpr std::string_view kSummary =
    "The rows, rejects and sums of ticks, but split into fields by a general CSV library: a baseline.";

std::vector<ParameterSpec> parameterSpecs() {
    std::vector<ParameterSpec> specs = tickParameterSpecs();
    specs.push_back(
        {"library",
         ParameterKind::choice,
         "fccp",
         "fccp: fast-cpp-csv-parser, up to 16 columns, 48 MiB of buffers a thread, an exception for each row "
         "with more or fewer columns; libcsv: a callback for each field. Quotes are not unfolded, as by "
         "ticks.",
         {"fccp", "libcsv"}});
    return specs;
}

Result<std::unique_ptr<CsvEngine>> makeEngine(const Parameters& parameters, CsvRows& rows,
                                              std::stop_token stop) {
    return textOf(parameters, "library") == "libcsv" ? makeLibcsvEngine(rows, std::move(stop))
                                                     : makeFccpEngine(rows, std::move(stop));
}

class CsvLibraryWorkload final : public Workload {
  public:
    explicit CsvLibraryWorkload(TickSchema schema)
        : schema_(std::move(schema)), rows_(makeTickPlan(schema_)) {}

    [[nodiscard]] Status begin(const Parameters& parameters, const WorkloadInput& input) {
        auto engine = makeEngine(parameters, rows_, input.stop);
        if (!engine) {
            return tl::unexpected(engine.error());
        }
        engine_ = std::move(*engine);
        input_.emplace(rows_, *engine_, textOf(parameters, "header") == "yes", input.range.begin);
        return {};
    }

    [[nodiscard]] Status consume(std::span<const std::byte> bytes) override {
        const void* const data = bytes.data();
        return input_->consume({static_cast<const char*>(data), bytes.size()});
    }

    [[nodiscard]] Status finish() override { return input_->finish(); }

    [[nodiscard]] Result<Outcome> outcome(std::span<Workload* const> all) const override {
        TickTotals totals;
        for (const Workload* const part : all) {
            totals.append(static_cast<const CsvLibraryWorkload*>(part)->rows_.totals());
        }
        return tickOutcome(schema_, totals);
    }

  private:
    TickSchema schema_;
    CsvRows rows_;
    std::unique_ptr<CsvEngine> engine_;
    std::optional<CsvInput> input_;
};

Result<Parameters> resolve(const FileFacts& file, const Parameters& parameters) {
    auto resolved = resolveTickFile(file, parameters);
    if (!resolved) {
        return resolved;
    }
    // What can't be made is refused before the run, and here because only now the columns are known.
    const auto schema = tickSchemaOf(*resolved);
    if (!schema) {
        return tl::unexpected(schema.error());
    }
    CsvRows rows(makeTickPlan(*schema));
    if (const auto engine = makeEngine(*resolved, rows, {}); !engine) {
        return tl::unexpected(engine.error());
    }
    return resolved;
}

Result<std::unique_ptr<Workload>> create(const Parameters& parameters, const WorkloadInput& input) {
    auto schema = tickSchemaOf(parameters);
    if (!schema) {
        return tl::unexpected(schema.error());
    }
    auto workload = std::make_unique<CsvLibraryWorkload>(std::move(*schema));
    if (auto status = workload->begin(parameters, input); !status) {
        return tl::unexpected(status.error());
    }
    return workload;
}

}  // namespace

const WorkloadType csvLibraryWorkload{"csv-library", kSummary, parameterSpecs(), false, resolve, fitTickLimit,
                                      splitTickFile, create,   describeTickFile};

}  // namespace mmapscope
