// One mapping whose page tables are filled before the first byte is used.
#include <linux/mman.h>
#include <sys/mman.h>

#include "source/availability.h"
#include "source/mapped_file.h"
#include "source/source_types.h"

namespace mmapscope {
namespace {

// MAP_POPULATE is one system call that no stop request reaches; MADV_POPULATE_READ goes in steps.
class PopulatedMapping : public MappedSource {
  public:
    explicit PopulatedMapping(bool byAdvice)
        : MappedSource(byAdvice ? 0 : MAP_POPULATE), byAdvice_(byAdvice) {}

  protected:
    Status prepareMapping(Range whole) override {
        return byAdvice_ ? mapped().populate(whole, input().accounts->stop()) : Status();
    }

  private:
    bool byAdvice_;
};

bool byAdvice(const Parameters& parameters) {
    return textOf(parameters, "how") == "advise";
}

// A populated range that doesn't fit would push its own beginning out again before it is used.
Availability availability(const FileFacts& file, const Parameters& parameters, Range range,
                          unsigned threads) {
    Availability answer = somethingToMap(file, parameters, range, threads);
    if (answer.available && byAdvice(parameters)) {
        answer = knowsAdvice(MADV_POPULATE_READ, "MADV_POPULATE_READ", "5.14");
    }
    return answer.available ? fitsInMemory(range) : answer;
}

}  // namespace

const SourceType mmapPopulateSource{
    .id = "mmap-populate",
    .summary = "mmap(2) of the whole file, its page tables filled at once before the first byte is used",
    .parameters =
        {{.name = "how",
          .kind = ParameterKind::choice,
          .defaultValue = "map",
          .help = "map: MAP_POPULATE, in one call that can't be cancelled; advise: MADV_POPULATE_READ in "
                  "steps of 4 MiB (Linux 5.14)",
          .choices = {"map", "advise"}}},
    .traits = {.mapsFile = true, .populatesWhole = true},
    .availability = availability,
    .create = [](const Parameters& p) -> std::unique_ptr<Source> {
        return std::make_unique<PopulatedMapping>(byAdvice(p));
    },
};

}  // namespace mmapscope
