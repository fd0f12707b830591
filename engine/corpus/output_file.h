// A file that appears under its name whole, or not at all.
#pragma once

#include <span>
#include <stop_token>
#include <string>

#include "core/result.h"
#include "core/unique_fd.h"
#include "core/units.h"

namespace mmapscope {

class OutputFile {
  public:
    /// Whether the file may be kept without a name while it is written (open(2) O_TMPFILE): then not even
    /// SIGKILL leaves anything behind. Filesystems that can't do so get a hidden file beside the target in
    /// either case.
    enum class Nameless { ifPossible, no };

    OutputFile(OutputFile&&) noexcept = default;
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile();

    /// `path` may name an existing regular file (replaced by commit) or nothing yet; a symbolic link is
    /// followed. Error: usage, when it is a directory, device, FIFO or socket; failed, when the folder can't
    /// be written to.
    [[nodiscard]] static Result<OutputFile> create(const std::string& path,
                                                   Nameless nameless = Nameless::ifPossible);

    /// Error: failed, with the figures, when less than `bytes` are free.
    [[nodiscard]] Status requireSpace(Bytes bytes);
    /// Error: failed; a full disk with the figures.
    [[nodiscard]] Status write(std::span<const char> bytes);
    /// Puts the bytes on the disk and the file under its name. Error: failed, cancelled.
    [[nodiscard]] Status commit(const std::stop_token& stop);

    [[nodiscard]] Bytes written() const noexcept { return written_; }

  private:
    OutputFile() = default;
    [[nodiscard]] Status giveName();

    UniqueFd fd_;
    std::string target_;
    std::string folder_;
    std::string hidden_;  ///< the name beside the target while there is one
    Bytes written_;
    Bytes needed_;
};

}  // namespace mmapscope
