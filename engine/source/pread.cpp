// pread(2) into one buffer a thread: all threads share the descriptor.
#include "source/availability.h"
#include "source/read_cursor.h"
#include "source/source_types.h"

namespace mmapscope {
namespace {

class PreadSource : public Source {
  public:
    explicit PreadSource(Bytes buffer) : buffer_(buffer) {}

    Status open(const SourceInput& input) override {
        input_ = &input;
        return file_.open(input);
    }

    Result<std::unique_ptr<Cursor>> cursor(std::size_t index) override {
        return heapReadCursor(file_, ReadBy::offset, *input_, index, buffer_);
    }

    void close() noexcept override { file_.close(); }

  private:
    Bytes buffer_;
    OpenFile file_;
    const SourceInput* input_ = nullptr;
};

}  // namespace

const SourceType preadSource{
    .id = "pread",
    .summary = "pread(2) into one heap buffer a thread: positional, so that threads share one descriptor",
    .parameters = {bufferParameter("4MiB")},
    .traits = {},
    .availability = alwaysAvailable,
    .create = [](const Parameters& p) -> std::unique_ptr<Source> {
        return std::make_unique<PreadSource>(bytesOf(p, "buffer"));
    },
};

}  // namespace mmapscope
