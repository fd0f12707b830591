// The `stream` engine of the zstd workload: ZSTD_decompressStream over the spans as they come.
#pragma once

#include <memory>

#include "workload/workload.h"

namespace mmapscope {

struct ZstdOptions {
    Bytes output;          ///< the buffer libzstd decodes into
    bool staging = false;  ///< through a 128 KiB buffer, copied out in 8 KiB reads
    unsigned windowLog = 27;
};

/// Error: unavailable, when libzstd can't be set up.
[[nodiscard]] Result<std::unique_ptr<Workload>> makeZstdStream(const ZstdOptions& options,
                                                               const WorkloadInput& input);

}  // namespace mmapscope
