// The file of a run, opened by the source, and the words for what can go wrong with it.
#pragma once

#include <sys/stat.h>

#include <string>

#include "core/result.h"
#include "core/unique_fd.h"
#include "core/units.h"
#include "source/source.h"

namespace mmapscope {

/// Between two looks at the stop token no more than this is read, copied or populated.
inline constexpr Bytes kStopStep = mib(4);

class OpenFile {
  public:
    /// open(2), O_RDONLY|O_CLOEXEC. Error: input, in the kernel's words.
    [[nodiscard]] Status open(const SourceInput& input);
    void close() noexcept { fd_.reset(); }

    [[nodiscard]] int fd() const noexcept { return fd_.get(); }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

    /// A second open(2) of the same path, for a thread that needs a file cursor of its own.
    /// Error: changed, when another file bears the name by now; input.
    [[nodiscard]] Result<UniqueFd> reopen() const;

    /// Reads the whole range to `to` by pread(2), in steps of at most kStopStep with a checkpoint before
    /// each. Error: changed (the file ended); unavailable (EFAULT: the memory at `to` could not be provided);
    /// cancelled; failed.
    [[nodiscard]] Status fill(std::byte* to, Range range, const std::stop_token& stop) const;

    /// The error for a read that met the file's end at `offset`, before the planned one.
    [[nodiscard]] tl::unexpected<Error> ended(Bytes offset) const;
    /// The error for a failed read(2) or pread(2) of this file.
    [[nodiscard]] tl::unexpected<Error> readError(int errnum) const;
    /// Says of a mapping's `changed` what became of the file; passes everything else on.
    [[nodiscard]] Status explain(const Status& mapping) const;

  private:
    std::string path_;
    UniqueFd fd_;
    Bytes planned_;  // the file's size when the run was planned
    struct stat opened_ {};
};

/// pread(2), again after EINTR.
[[nodiscard]] ssize_t preadSome(int fd, std::byte* to, Bytes count, Bytes offset) noexcept;
/// read(2), again after EINTR.
[[nodiscard]] ssize_t readSome(int fd, std::byte* to, Bytes count) noexcept;

}  // namespace mmapscope
