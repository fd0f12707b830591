// The file read into the heap and copied from there into anonymous huge pages: two copies, and a fault for
// every base page of the heap.
#include <algorithm>
#include <cstring>
#include <utility>

#include "source/availability.h"
#include "source/heap_buffer.h"
#include "source/huge_cursor.h"
#include "source/open_file.h"
#include "source/source_types.h"

namespace mmapscope {
namespace {

class HugetlbCopySource : public Source {
  public:
    Status open(const SourceInput& input) override {
        input_ = &input;
        const Range whole = input.whole();
        if (auto status = file_.open(input); !status || whole.length().isZero()) {
            return status;
        }
        // Asked for first, so that a pool that is too small doesn't cost a reading of the file.
        auto memory = mapHugePages(whole.length());
        if (!memory) {
            return tl::unexpected(memory.error());
        }
        memory_ = std::move(*memory);
        auto heap = HeapBuffer::allocate(whole.length());
        if (!heap) {
            return tl::unexpected(heap.error());
        }
        const auto& stop = input.accounts->stop();
        if (auto status = file_.fill(heap->data(), whole, stop); !status) {
            return status;
        }
        return fillHuge(input, memory_.data(), whole, [&](std::byte* at, Range stretch) {
            const auto done = static_cast<std::size_t>(at - memory_.data());
            return copyGuarded(memory_, Bytes(done), {heap->data() + done, stretch.length().size()}, stop);
        });
    }

    Result<std::unique_ptr<Cursor>> cursor(std::size_t index) override {
        return std::make_unique<HugeCursor>(memory_, rangeIn(memory_, *input_, index),
                                            input_->accounts->stop());
    }

    void close() noexcept override {
        memory_.unmap();
        file_.close();
    }

  private:
    OpenFile file_;
    GuardedMapping memory_;
    const SourceInput* input_ = nullptr;
};

}  // namespace

const SourceType hugetlbCopySource{
    .id = "hugetlb-copy",
    .summary = "read the file into the heap, copy it into anonymous 2 MiB huge pages, consume from there",
    .parameters = {},
    .traits = {.usesHugePages = true, .holdsWhole = true},
    .availability =
        [](const FileFacts&, const Parameters&, Range range, unsigned) {
            const Availability answer = enoughHugePages(hugePagesFor(range.length()));
            if (!answer.available) {
                return answer;
            }
            Availability fits = fitsInMemory(range);
            fits.hugePages = answer.hugePages;
            return fits;
        },
    .create = [](const Parameters&) -> std::unique_ptr<Source> {
        return std::make_unique<HugetlbCopySource>();
    },
};

}  // namespace mmapscope
