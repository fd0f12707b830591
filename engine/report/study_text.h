// The text of a study file, plain or compressed.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "core/units.h"

namespace mmapscope {

/// Memory whose pages can be given back one by one while it is read.
class StudyText {
  public:
    StudyText() = default;
    StudyText(StudyText&& other) noexcept;
    StudyText& operator=(StudyText&& other) noexcept;
    ~StudyText();

    [[nodiscard]] std::string_view view() const { return {data_, size_}; }
    /// What lies before is not looked at again.
    void release(std::size_t upTo);

    /// Makes room for so much at least, and keeps what is there. Error: failed (no memory).
    [[nodiscard]] Status reserve(std::size_t capacity);
    [[nodiscard]] char* data() { return data_; }
    [[nodiscard]] std::size_t capacity() const { return capacity_; }
    void setSize(std::size_t size) { size_ = size; }

  private:
    char* data_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0, released_ = 0;
};

/// All of a regular file, decompressed where it is a zstd frame. Error: input, with path and reason; also for
/// more than `most`.
[[nodiscard]] Result<StudyText> readStudyText(const std::string& path, Bytes most);

/// Whether a file that begins like this is a study, plain or compressed; a few hundred bytes tell.
[[nodiscard]] bool beginsAsStudy(std::string_view head);

/// One zstd frame with a checksum.
[[nodiscard]] Result<std::string> compressed(std::string_view text);

}  // namespace mmapscope
