// A file opened past the page cache (O_DIRECT, open(2)), with what that asks of offsets, lengths and memory.
#pragma once

#include "source/open_file.h"

namespace mmapscope {

class DirectFile {
  public:
    /// Error: input; unavailable when the filesystem refuses O_DIRECT, which it says by name.
    [[nodiscard]] Status open(const SourceInput& input);
    void close() noexcept;

    /// Offsets, lengths and addresses of direct reads are multiples of it: a power of two, at most a page.
    [[nodiscard]] Bytes alignment() const noexcept { return alignment_; }
    [[nodiscard]] int fd() const noexcept { return direct_.get(); }
    [[nodiscard]] const OpenFile& buffered() const noexcept { return buffered_; }

    /// What of a block can be read directly: whole units, up to the last one that the file fills.
    [[nodiscard]] Range directPart(Range block) const noexcept;

    /// Reads what follows the first `done` bytes of the direct part up to the block's end through the page
    /// cache; `to` is where the direct part begins. Error: changed, failed.
    [[nodiscard]] Status readTail(std::byte* to, Range block, Bytes done) const;

  private:
    OpenFile buffered_;
    UniqueFd direct_;
    Bytes alignment_;
    Bytes fileBytes_;
};

/// Whether the filesystem lets the file be opened with O_DIRECT. Opens and closes it.
[[nodiscard]] Availability directReads(const FileFacts& file);

}  // namespace mmapscope
