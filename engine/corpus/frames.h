// zstd frames with their content size, one after another, into a file.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/result.h"
#include "core/units.h"
#include "corpus/output_file.h"

struct ZSTD_CCtx_s;

namespace mmapscope {

class FrameWriter {
  public:
    /// Error: usage (a level libzstd doesn't have), failed (no memory).
    [[nodiscard]] static Result<FrameWriter> create(int level, bool checksum, OutputFile& out);

    /// Begins a frame of exactly `size` bytes of content.
    [[nodiscard]] Status begin(Bytes size);
    [[nodiscard]] Status write(std::span<const char> content);
    [[nodiscard]] Status end();

  private:
    struct Freer {
        void operator()(ZSTD_CCtx_s* context) const noexcept;
    };
    explicit FrameWriter(OutputFile& out) : out_(&out) {}
    [[nodiscard]] Status compress(std::span<const char> content, bool last);

    OutputFile* out_;
    std::unique_ptr<ZSTD_CCtx_s, Freer> context_;
    std::vector<char> buffer_;
};

}  // namespace mmapscope
