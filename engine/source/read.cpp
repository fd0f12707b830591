// read(2) into one buffer, by the file cursor: the portable baseline.
#include "source/availability.h"
#include "source/read_cursor.h"
#include "source/source_types.h"

namespace mmapscope {
namespace {

class ReadSource : public Source {
  public:
    explicit ReadSource(Bytes buffer) : buffer_(buffer) {}

    Status open(const SourceInput& input) override {
        input_ = &input;
        return file_.open(input);
    }

    Result<std::unique_ptr<Cursor>> cursor(std::size_t index) override {
        return heapReadCursor(file_, ReadBy::fileCursor, *input_, index, buffer_);
    }

    void close() noexcept override { file_.close(); }

  private:
    Bytes buffer_;
    OpenFile file_;
    const SourceInput* input_ = nullptr;
};

}  // namespace

const SourceType readSource{
    .id = "read",
    .summary = "read(2) into one heap buffer, by the file cursor: the portable baseline",
    .parameters = {bufferParameter("64KiB")},
    .traits = {},
    .availability = alwaysAvailable,
    .create = [](const Parameters& p) -> std::unique_ptr<Source> {
        return std::make_unique<ReadSource>(bytesOf(p, "buffer"));
    },
};

}  // namespace mmapscope
