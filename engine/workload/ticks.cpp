// `ticks`: validating zero-copy parser of tick CSV. Outcome: tickOutcome().
#include "workload/ticks.h"

#include "workload/tick_detect.h"
#include "workload/tick_lines.h"
#include "workload/tick_workload.h"

namespace mmapscope {
namespace {

class TicksWorkload final : public Workload {
  public:
    TicksWorkload(TickSchema schema, const TickPlan& plan, const TickScanner& scanner, bool header,
                  const WorkloadInput& input)
        : schema_(std::move(schema)), lines_(plan, header, input.range.begin, scanner, input.stop) {}

    [[nodiscard]] Status consume(std::span<const std::byte> bytes) override {
        const void* const data = bytes.data();
        return lines_.consume({static_cast<const char*>(data), bytes.size()});
    }

    [[nodiscard]] Status finish() override {
        lines_.finish();
        return {};
    }

    [[nodiscard]] Result<Outcome> outcome(std::span<Workload* const> all) const override {
        TickTotals totals;
        for (const Workload* const part : all) {
            totals.append(static_cast<const TicksWorkload*>(part)->lines_.totals());
        }
        return tickOutcome(schema_, totals);
    }

  private:
    TickSchema schema_;
    TickLines lines_;
};

Result<std::unique_ptr<Workload>> create(const Parameters& parameters, const WorkloadInput& input) {
    auto schema = tickSchemaOf(parameters);
    if (!schema) {
        return tl::unexpected(schema.error());
    }
    const TickPlan plan = makeTickPlan(*schema);
    const auto scanner = chosenTickScanner(parameters, plan);
    if (!scanner) {
        return tl::unexpected(scanner.error());
    }
    return std::make_unique<TicksWorkload>(std::move(*schema), plan, **scanner,
                                           textOf(parameters, "header") == "yes", input);
}

std::vector<ParameterSpec> parameterSpecs() {
    std::vector<ParameterSpec> specs = tickParameterSpecs();
    specs.push_back(tickScannerSpec());
    return specs;
}

}  // namespace

const WorkloadType ticksWorkload{
    "ticks",
    "Validating zero-copy parser of tick CSV: every byte checked, every field converted, exact sums.",
    parameterSpecs(),
    false,
    resolveTickFile,
    fitTickLimit,
    splitTickFile,
    create,
    describeTickFile};

}  // namespace mmapscope
