// Reads a range into one heap buffer again and again: the cursor of `read` and `pread`.
#pragma once

#include <stop_token>

#include "source/heap_buffer.h"
#include "source/open_file.h"
#include "source/source.h"

namespace mmapscope {

enum class ReadBy {
    offset,     ///< pread(2): threads may share the descriptor
    fileCursor  ///< read(2): the descriptor is this cursor's alone
};

class ReadCursor : public Cursor {
  public:
    /// Reads from `own` if it is given, else from the file's descriptor. With ReadBy::fileCursor its offset
    /// is the range's begin. `file` outlives the cursor.
    ReadCursor(const OpenFile& file, ReadBy by, Range range, HeapBuffer buffer, std::stop_token stop,
               UniqueFd own = {});
    /// As above, into memory that someone else keeps for as long as the cursor lives.
    ReadCursor(const OpenFile& file, ReadBy by, Range range, std::span<std::byte> buffer,
               std::stop_token stop, UniqueFd own = {});

    [[nodiscard]] Result<std::span<const std::byte>> next() override;

  private:
    const OpenFile& file_;
    UniqueFd own_;
    int fd_;
    ReadBy by_;
    Bytes position_;
    Bytes end_;
    std::span<std::byte> buffer_;
    HeapBuffer heap_;
    std::stop_token stop_;
    Bytes sinceCheck_ = kStopStep;  // so that the first call looks at the stop token
};

/// Over the range of `index`, with a heap buffer of its own. Error: no memory for the buffer; for a file
/// cursor as ownDescriptor.
[[nodiscard]] Result<std::unique_ptr<Cursor>> heapReadCursor(const OpenFile& file, ReadBy by,
                                                             const SourceInput& input, std::size_t index,
                                                             Bytes bufferSize);

/// What a file cursor needs beyond the file: a descriptor of its own for every range but the first, which
/// takes the file's (and an empty UniqueFd), set to the range's begin. Error: as OpenFile::reopen.
[[nodiscard]] Result<UniqueFd> ownDescriptor(const OpenFile& file, const SourceInput& input,
                                             std::size_t index);

}  // namespace mmapscope
