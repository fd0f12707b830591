// Synthetic inputs, the same bytes for the same seed on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "core/result.h"
#include "core/units.h"

namespace mmapscope {

enum class CorpusKind {
    bytes,  ///< 4 KiB of pseudo-random bytes and 4 KiB of 0xAB in turn
    zstd,   ///< the same, compressed: `size` is the size before compression
    ticks   ///< tick CSV of the named schema, whole rows, at most `size` bytes and less than one row short of
            ///< it
};

struct CorpusRequest {
    CorpusKind kind = CorpusKind::bytes;
    Bytes size;
    std::uint64_t seed = 1;
    int level = 3;                   ///< zstd
    unsigned frames = 1;             ///< zstd: independent frames with content size each
    bool checksum = false;           ///< zstd frame checksums
    std::string schema = "generic";  ///< ticks
    bool compressed = false;         ///< ticks: zstd-compressed (size is that of the CSV)
    std::string out = {};
};

/// Writes through a temporary file and renames; checks free space first; on error or stop nothing is left.
/// Returns the bytes written. Error: usage, failed (disk full: said with figures), cancelled.
[[nodiscard]] Result<Bytes> makeCorpus(const CorpusRequest& request, std::stop_token stop,
                                       const std::function<void(double)>& progress = {});

}  // namespace mmapscope
