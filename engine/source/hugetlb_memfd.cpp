// The file read straight into a memfd of huge pages: one copy, one fault per 2 MiB.
#include <utility>

#include "source/availability.h"
#include "source/huge_cursor.h"
#include "source/open_file.h"
#include "source/source_types.h"

namespace mmapscope {
namespace {

class HugeMemfdSource : public Source {
  public:
    Status open(const SourceInput& input) override {
        input_ = &input;
        const Range whole = input.whole();
        if (auto status = file_.open(input); !status || whole.length().isZero()) {
            return status;
        }
        auto memory = mapHugeMemfd(whole.length());
        if (!memory) {
            return tl::unexpected(memory.error());
        }
        memory_ = std::move(*memory);
        auto status = fillHuge(input, memory_.mapping.data(), whole, [&](std::byte* at, Range stretch) {
            return file_.fill(at, stretch, input.accounts->stop());
        });
        // A system call that touches a huge page that isn't there gets EFAULT, not a signal.
        if (!status && status.error().kind == ErrorKind::unavailable) {
            return hugePageMissing();
        }
        return status;
    }

    Result<std::unique_ptr<Cursor>> cursor(std::size_t index) override {
        return std::make_unique<HugeCursor>(memory_.mapping, rangeIn(memory_.mapping, *input_, index),
                                            input_->accounts->stop());
    }

    void close() noexcept override {
        memory_.mapping.unmap();
        memory_.fd.reset();
        file_.close();
    }

  private:
    OpenFile file_;
    HugeMemfd memory_;
    const SourceInput* input_ = nullptr;
};

}  // namespace

const SourceType hugetlbMemfdSource{
    .id = "hugetlb-memfd",
    .summary = "read(2) straight into a memfd of 2 MiB huge pages: one copy, one fault per huge page",
    .parameters = {},
    .traits = {.usesHugePages = true, .holdsWhole = true},
    .availability = [](const FileFacts&, const Parameters&, Range range,
                       unsigned) { return enoughHugePages(hugePagesFor(range.length())); },
    .create = [](const Parameters&) -> std::unique_ptr<Source> {
        return std::make_unique<HugeMemfdSource>();
    },
};

}  // namespace mmapscope
