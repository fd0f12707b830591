// One mapping that gives back what was consumed: the process's memory stays at about the trail, whatever the
// file's size.
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>

#include "core/text.h"
#include "source/availability.h"
#include "source/mapped_file.h"
#include "source/source_types.h"

namespace mmapscope {
namespace {

/// Given back in pieces of this size, as the cursor goes; the spans are as long.
constexpr Bytes kStep = kib(64);

struct Retired {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::uint64_t> bytes{0};
};

class RetiringCursor : public MappedCursor {
  public:
    RetiringCursor(const MappedFile& mapped, Range range, std::stop_token stop, Bytes trail, Retired& retired)
        : MappedCursor(mapped, range, std::move(stop), std::max(kStep, pageSize())),
          trail_(trail),
          kept_(roundUp(range.begin, pageSize())),  // a page shared with the range before it is that one's
          retired_(retired) {}

  protected:
    Status beforeSpan(Range span) override {
        if (span.begin < kept_ + trail_ + pageSize()) {
            return {};
        }
        const Range behind{kept_, roundDown(span.begin - trail_, pageSize())};
        kept_ = behind.end;
        retired_.calls.fetch_add(1, std::memory_order_relaxed);
        retired_.bytes.fetch_add(behind.length().count(), std::memory_order_relaxed);
        return mapped().advise(behind, MADV_DONTNEED);
    }

  private:
    Bytes trail_;
    Bytes kept_;
    Retired& retired_;
};

class RetiringMapping : public MappedSource {
  public:
    explicit RetiringMapping(Bytes trail) : trail_(trail) {}

    Result<std::unique_ptr<Cursor>> cursor(std::size_t index) override {
        return std::make_unique<RetiringCursor>(mapped(), input().ranges[index], input().accounts->stop(),
                                                trail_, retired_);
    }

    std::vector<std::string> notes() const override {
        return {fmt::format("MADV_DONTNEED gave back {} behind the cursor in {} calls, keeping {}",
                            formatBytes(Bytes(retired_.bytes.load())), retired_.calls.load(),
                            formatBytes(trail_))};
    }

  protected:
    Status prepareMapping(Range whole) override {
        if (auto status = mapped().advise(whole, MADV_SEQUENTIAL); !status) {
            return status;
        }
        return mapped().advise(whole, MADV_HUGEPAGE);
    }

  private:
    Bytes trail_;
    Retired retired_;
};

}  // namespace

const SourceType mmapRetireSource{
    .id = "mmap-retire",
    .summary = "mmap(2), MADV_SEQUENTIAL and MADV_HUGEPAGE, and MADV_DONTNEED on what lies behind the cursor",
    .parameters = {{.name = "trail",
                    .kind = ParameterKind::bytes,
                    .defaultValue = "4MiB",
                    .help = "How much stays mapped behind the cursor; about what the process then holds",
                    .least = kib(64)}},
    .traits = {.mapsFile = true},
    .availability = somethingToMap,
    .create = [](const Parameters& p) -> std::unique_ptr<Source> {
        return std::make_unique<RetiringMapping>(bytesOf(p, "trail"));
    },
};

}  // namespace mmapscope
