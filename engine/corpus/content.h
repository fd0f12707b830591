// What a corpus holds before it is compressed, block by block.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/result.h"
#include "core/units.h"
#include "corpus/corpus.h"

namespace mmapscope {

class Content {
  public:
    Content() = default;
    Content(const Content&) = delete;
    Content& operator=(const Content&) = delete;
    virtual ~Content() = default;

    /// The next bytes, at most kContentBlock, never across the end of a part; empty at the end.
    [[nodiscard]] virtual std::span<const char> next() = 0;
};

inline constexpr Bytes kContentBlock = kib(256);

/// Content of request.size bytes (ticks: whole rows that fit in it), in request.frames parts.
/// Error: usage (no such schema).
[[nodiscard]] Result<std::unique_ptr<Content>> makeContent(const CorpusRequest& request);

/// How many bytes each part has. Of ticks, whose parts end with a row, it is found by making them once.
/// Error: usage, cancelled.
[[nodiscard]] Result<std::vector<Bytes>> partSizes(const CorpusRequest& request, const std::stop_token& stop);

}  // namespace mmapscope
