// Everything in memory before the clock starts: what is left is the workload, the ceiling for every other
// source.
#include <utility>

#include "source/anonymous_region.h"
#include "source/availability.h"
#include "source/memory_cursor.h"
#include "source/open_file.h"
#include "source/source_types.h"

namespace mmapscope {
namespace {

class MemorySource : public Source {
  public:
    explicit MemorySource(bool huge) : huge_(huge) {}

    Status prepare(const SourceInput& input) override {
        const Range whole = input.whole();
        OpenFile file;
        if (auto status = file.open(input); !status || whole.length().isZero()) {
            return status;
        }
        auto region = AnonymousRegion::map(whole.length(), huge_);
        if (!region) {
            return tl::unexpected(region.error());
        }
        region_ = std::move(*region);
        return file.fill(region_.data(), whole, input.accounts->stop());
    }

    Status open(const SourceInput& input) override {
        input_ = &input;
        return {};
    }

    Result<std::unique_ptr<Cursor>> cursor(std::size_t index) override {
        return std::make_unique<MemoryCursor>(rangeIn(region_, *input_, index), input_->accounts->stop());
    }

    // The clock runs until close() is done: the memory, taken before it started, is given back after it
    // stopped, with the source itself.
    void close() noexcept override {}

  private:
    bool huge_;
    AnonymousRegion region_;
    const SourceInput* input_ = nullptr;
};

Availability availability(const FileFacts&, const Parameters& parameters, Range range, unsigned) {
    if (flagOf(parameters, "huge")) {
        if (auto answer = transparentHugePages(); !answer.available) {
            return answer;
        }
    }
    return fitsInMemory(range);
}

}  // namespace

const SourceType memorySource{
    .id = "memory",
    .summary = "everything in memory before the clock starts: the workload alone, the ceiling for the others",
    .parameters = {{.name = "huge",
                    .kind = ParameterKind::flag,
                    .defaultValue = "no",
                    .help = "Transparent huge pages (MADV_HUGEPAGE) instead of base pages"}},
    .traits = {.holdsWhole = true, .ceiling = true},
    .availability = availability,
    .create = [](const Parameters& p) -> std::unique_ptr<Source> {
        return std::make_unique<MemorySource>(flagOf(p, "huge"));
    },
};

}  // namespace mmapscope
