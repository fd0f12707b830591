// One mapping with MADV_WILLNEED. One call reads at most the device's readahead, whatever length it is given
// (mm/readahead.c, force_page_cache_ra), which is why the notes say what was asked for and what came of it.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/vfs.h>

#include <algorithm>
#include <atomic>

#include "core/text.h"
#include "source/availability.h"
#include "source/mapped_file.h"
#include "source/read_ahead.h"
#include "source/source_types.h"

namespace mmapscope {
namespace {

struct Asked {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::uint64_t> bytes{0};
    std::atomic<std::uint64_t> read{0};
};

// Reads that this thread sent to a block device so far (getrusage(2), ru_inblock, in units of 512 bytes):
// they are sent by the thread that gives the advice, before madvise returns.
std::uint64_t bytesSentForReading() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return static_cast<std::uint64_t>(usage.ru_inblock) * 512;
}

Status askFor(const MappedFile& mapped, Range range, Asked& asked) {
    const std::uint64_t before = bytesSentForReading();
    auto status = mapped.advise(range, MADV_WILLNEED);
    asked.calls.fetch_add(1, std::memory_order_relaxed);
    asked.bytes.fetch_add(range.length().count(), std::memory_order_relaxed);
    asked.read.fetch_add(bytesSentForReading() - before, std::memory_order_relaxed);
    return status;
}

// Keeps one readahead asked for in front of the span that is being consumed.
class AskingCursor : public MappedCursor {
  public:
    AskingCursor(const MappedFile& mapped, Range range, std::stop_token stop, Bytes step, Asked& asked)
        : MappedCursor(mapped, range, std::move(stop), std::min(step, kMaxSpan)),
          step_(step),
          next_(roundDown(range.begin, pageSize())),
          end_(range.end),
          asked_(asked) {}

  protected:
    Status beforeSpan(Range span) override {
        while (next_ < end_ && next_ < span.end + step_) {
            const Range ahead{next_, std::min(end_, next_ + step_)};
            if (auto status = askFor(mapped(), ahead, asked_); !status) {
                return status;
            }
            next_ = ahead.end;
        }
        return {};
    }

  private:
    Bytes step_;
    Bytes next_;
    Bytes end_;
    Asked& asked_;
};

class WillneedMapping : public MappedSource {
  public:
    explicit WillneedMapping(bool inSteps) : inSteps_(inSteps) {}

    Status prepare(const SourceInput& input) override {
        step_ = readAheadOf(input.path);
        return {};
    }

    Result<std::unique_ptr<Cursor>> cursor(std::size_t index) override {
        if (!inSteps_) {
            return MappedSource::cursor(index);
        }
        return std::make_unique<AskingCursor>(mapped(), input().ranges[index], input().accounts->stop(),
                                              step_, asked_);
    }

    std::vector<std::string> notes() const override {
        const std::uint64_t calls = asked_.calls.load();
        if (calls == 0) {
            return {};
        }
        const std::string asked = fmt::format("MADV_WILLNEED asked for {} in {} call{} (readahead {})",
                                              formatBytes(Bytes(asked_.bytes.load())), calls,
                                              calls == 1 ? "" : "s", formatBytes(step_));
        if (!onBlockDevice_) {
            return {
                fmt::format("{}; how much the kernel read for it is not counted on this filesystem", asked)};
        }
        return {
            fmt::format("{}; the kernel read {} from storage for it, the rest was cached or left for later",
                        asked, formatBytes(Bytes(asked_.read.load())))};
    }

  protected:
    Status prepareMapping(Range whole) override {
        struct statfs filesystem {};
        constexpr decltype(filesystem.f_type) kFuse = 0x65735546;
        constexpr decltype(filesystem.f_type) kTmpfs = 0x01021994;
        onBlockDevice_ = fstatfs(mapped().file().fd(), &filesystem) == 0 && filesystem.f_type != kFuse &&
                         filesystem.f_type != kTmpfs;
        return inSteps_ ? Status() : askFor(mapped(), whole, asked_);
    }

  private:
    bool inSteps_;
    bool onBlockDevice_ = true;
    Bytes step_ = kDefaultReadAhead;
    Asked asked_;
};

}  // namespace

const SourceType mmapWillneedSource{
    .id = "mmap-willneed",
    .summary = "mmap(2) of the whole file and MADV_WILLNEED, once or in steps of the device's readahead",
    .parameters =
        {{.name = "step",
          .kind = ParameterKind::choice,
          .defaultValue = "whole",
          .help = "whole: one call for everything, of which the kernel reads one readahead; readahead: a "
                  "call for each readahead as the cursor goes",
          .choices = {"whole", "readahead"}}},
    .traits = {.mapsFile = true},
    .availability = somethingToMap,
    .create = [](const Parameters& p) -> std::unique_ptr<Source> {
        return std::make_unique<WillneedMapping>(textOf(p, "step") == "readahead");
    },
};

}  // namespace mmapscope
