// A file opened to look at some of its bytes before any run.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/result.h"
#include "core/unique_fd.h"
#include "core/units.h"

namespace mmapscope {

class InputFile {
  public:
    /// Error: input, with the system's words.
    [[nodiscard]] static Result<InputFile> open(const std::string& path);

    /// Fills `into` from `offset`; fewer bytes only at the end of the file. Error: input.
    [[nodiscard]] Result<std::size_t> readAt(Bytes offset, std::span<std::byte> into) const;

  private:
    InputFile(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

    UniqueFd fd_;
    std::string path_;
};

}  // namespace mmapscope
