#include "source/read_cursor.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace mmapscope {

ReadCursor::ReadCursor(const OpenFile& file, ReadBy by, Range range, HeapBuffer buffer, std::stop_token stop,
                       UniqueFd own)
    : ReadCursor(file, by, range, std::span(buffer.data(), buffer.size().size()), std::move(stop),
                 std::move(own)) {
    heap_ = std::move(buffer);
}

ReadCursor::ReadCursor(const OpenFile& file, ReadBy by, Range range, std::span<std::byte> buffer,
                       std::stop_token stop, UniqueFd own)
    : file_(file),
      own_(std::move(own)),
      fd_(own_ ? own_.get() : file.fd()),
      by_(by),
      position_(range.begin),
      end_(range.end),
      buffer_(buffer),
      stop_(std::move(stop)) {}

Result<std::span<const std::byte>> ReadCursor::next() {
    const Bytes wanted = std::min(Bytes(buffer_.size()), end_ - position_);
    Bytes got;
    while (got < wanted) {
        const Bytes step = std::min(wanted - got, kStopStep);
        if (sinceCheck_ + step > kStopStep) {
            if (auto status = checkpoint(stop_); !status) {
                return tl::unexpected(status.error());
            }
            sinceCheck_ = Bytes(0);
        }
        std::byte* const to = buffer_.data() + got.size();
        const ssize_t n =
            by_ == ReadBy::fileCursor ? readSome(fd_, to, step) : preadSome(fd_, to, step, position_ + got);
        if (n < 0) {
            return file_.readError(errno);
        }
        if (n == 0) {
            return file_.ended(position_ + got);
        }
        const Bytes read(static_cast<std::uint64_t>(n));
        got += read;
        sinceCheck_ += read;
        if (read < step) {
            break;
        }
    }
    position_ += got;
    return std::span<const std::byte>(buffer_.data(), got.size());
}

Result<std::unique_ptr<Cursor>> heapReadCursor(const OpenFile& file, ReadBy by, const SourceInput& input,
                                               std::size_t index, Bytes bufferSize) {
    auto buffer = HeapBuffer::allocate(bufferSize);
    if (!buffer) {
        return tl::unexpected(buffer.error());
    }
    auto own = by == ReadBy::fileCursor ? ownDescriptor(file, input, index) : Result<UniqueFd>(UniqueFd());
    if (!own) {
        return tl::unexpected(own.error());
    }
    return std::make_unique<ReadCursor>(file, by, input.ranges[index], std::move(*buffer),
                                        input.accounts->stop(), std::move(*own));
}

Result<UniqueFd> ownDescriptor(const OpenFile& file, const SourceInput& input, std::size_t index) {
    // A file cursor belongs to its descriptor: every thread after the first opens one of its own.
    auto own = index == 0 ? Result<UniqueFd>(UniqueFd()) : file.reopen();
    if (!own) {
        return own;
    }
    const int fd = *own ? own->get() : file.fd();
    const Bytes begin = input.ranges[index].begin;
    if (!begin.isZero() && lseek(fd, static_cast<off_t>(begin.count()), SEEK_SET) < 0) {
        return file.readError(errno);
    }
    return own;
}

}  // namespace mmapscope
