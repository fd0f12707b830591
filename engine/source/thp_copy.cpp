// The file read into anonymous memory of transparent huge pages: huge pages without a pool to reserve.
#include <utility>

#include "source/anonymous_region.h"
#include "source/availability.h"
#include "source/huge_pages_region.h"
#include "source/memory_cursor.h"
#include "source/open_file.h"
#include "source/source_types.h"

namespace mmapscope {
namespace {

class ThpCopySource : public Source {
  public:
    Status open(const SourceInput& input) override {
        input_ = &input;
        const Range whole = input.whole();
        if (auto status = file_.open(input); !status || whole.length().isZero()) {
            return status;
        }
        auto region = AnonymousRegion::map(whole.length(), true);
        if (!region) {
            return tl::unexpected(region.error());
        }
        region_ = std::move(*region);
        return fillHuge(input, region_.data(), whole, [&](std::byte* at, Range stretch) {
            return file_.fill(at, stretch, input.accounts->stop());
        });
    }

    Result<std::unique_ptr<Cursor>> cursor(std::size_t index) override {
        return std::make_unique<MemoryCursor>(rangeIn(region_, *input_, index), input_->accounts->stop());
    }

    void close() noexcept override {
        region_.unmap();
        file_.close();
    }

  private:
    OpenFile file_;
    AnonymousRegion region_;
    const SourceInput* input_ = nullptr;
};

}  // namespace

const SourceType thpCopySource{
    .id = "thp-copy",
    .summary = "read(2) into anonymous memory with MADV_HUGEPAGE: huge pages with no pool to reserve",
    .parameters = {},
    .traits = {.holdsWhole = true},
    .availability =
        [](const FileFacts&, const Parameters&, Range range, unsigned) {
            const Availability answer = transparentHugePages();
            return answer.available ? fitsInMemory(range) : answer;
        },
    .create = [](const Parameters&) -> std::unique_ptr<Source> { return std::make_unique<ThpCopySource>(); },
};

}  // namespace mmapscope
