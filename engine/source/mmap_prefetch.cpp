// One mapping for the whole run, and a coordinator that has the pages there before the consumers come to
// them.
#include <linux/mman.h>

#include <algorithm>

#include "source/availability.h"
#include "source/mapped_file.h"
#include "source/prefetcher.h"
#include "source/read_ahead.h"
#include "source/source_types.h"

namespace mmapscope {
namespace {

class MmapPrefetchSource : public MappedSource {
  public:
    explicit MmapPrefetchSource(PrefetchPlan plan) : plan_(plan) {}

    Status prepare(const SourceInput& input) override {
        plan_.step = readAheadOf(input.path);
        return {};
    }

    Result<std::unique_ptr<Cursor>> cursor(std::size_t index) override {
        const Range range = input().ranges[index];
        // Short enough that the coordinator hears of progress several times within its distance.
        const Bytes quarter = roundDown(plan_.ahead / (4 * input().ranges.size()), pageSize());
        const Bytes span = std::clamp(quarter, std::max(kib(64), pageSize()), kStopStep);
        auto inner = std::make_unique<MappedCursor>(mapped(), range, input().accounts->stop(), span);
        if (!prefetcher_) {
            return inner;
        }
        return std::make_unique<PrefetchedCursor>(std::move(inner), *prefetcher_, index, range);
    }

    void close() noexcept override {
        if (prefetcher_) {
            prefetcher_->finish();
        }
        MappedSource::close();
    }

    std::vector<std::string> notes() const override {
        return prefetcher_ ? std::vector{prefetcher_->note()} : std::vector<std::string>();
    }

  protected:
    Status prepareMapping(Range) override {
        prefetcher_ = std::make_unique<Prefetcher>(plan_, mapped().file(), &mapped(), input());
        return prefetcher_->start();
    }

  private:
    PrefetchPlan plan_;
    std::unique_ptr<Prefetcher> prefetcher_;
};

Availability availability(const FileFacts& file, const Parameters& parameters, Range range,
                          unsigned threads) {
    const Availability answer = somethingToMap(file, parameters, range, threads);
    return answer.available && prefetchPlan(parameters).how == AskBy::populate
               ? knowsAdvice(MADV_POPULATE_READ, "MADV_POPULATE_READ", "5.14")
               : answer;
}

}  // namespace

const SourceType mmapPrefetchSource{
    .id = "mmap-prefetch",
    .summary =
        "one mapping, and a coordinator thread that asks for what comes next, a bounded distance ahead",
    .parameters = {aheadParameter(),
                   howParameter(
                       {"readahead", "fadvise", "willneed", "populate"},
                       "How the coordinator asks: readahead(2), posix_fadvise, madvise MADV_WILLNEED, or "
                       "MADV_POPULATE_READ, which fills the page tables too (Linux 5.14)")},
    .traits = {.mapsFile = true, .helperThreads = true},
    .availability = availability,
    .create = [](const Parameters& p) -> std::unique_ptr<Source> {
        return std::make_unique<MmapPrefetchSource>(prefetchPlan(p));
    },
};

}  // namespace mmapscope
