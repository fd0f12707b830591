// read(2) into one buffer, by the file cursor: the portable baseline.
#include <unistd.h>

#include <cerrno>

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
        const Range range = input_->ranges[index];
        auto buffer = HeapBuffer::allocate(buffer_);
        if (!buffer) {
            return tl::unexpected(buffer.error());
        }
        // A file cursor belongs to its descriptor: every thread after the first opens one of its own.
        UniqueFd own;
        if (index > 0) {
            auto opened = file_.reopen();
            if (!opened) {
                return tl::unexpected(opened.error());
            }
            own = std::move(*opened);
        }
        const int fd = own ? own.get() : file_.fd();
        if (!range.begin.isZero() && lseek(fd, static_cast<off_t>(range.begin.count()), SEEK_SET) < 0) {
            return file_.readError(errno);
        }
        return std::make_unique<ReadCursor>(file_, ReadBy::fileCursor, range, std::move(*buffer),
                                            input_->accounts->stop(), std::move(own));
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
