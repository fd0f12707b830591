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
        auto buffer = HeapBuffer::allocate(buffer_);
        if (!buffer) {
            return tl::unexpected(buffer.error());
        }
        auto own = ownDescriptor(file_, *input_, index);
        if (!own) {
            return tl::unexpected(own.error());
        }
        return std::make_unique<ReadCursor>(file_, ReadBy::fileCursor, input_->ranges[index],
                                            std::move(*buffer), input_->accounts->stop(), std::move(*own));
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
