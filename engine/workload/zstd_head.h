// The first bytes that a zstd file decodes to, for looking at them before any run.
#pragma once

#include <string>

#include "workload/input_file.h"
#include "workload/zstd_dictionary.h"

namespace mmapscope {

struct ZstdHead {
    std::string bytes;
    bool whole = false;  ///< nothing follows
};

/// Decodes at most `most` bytes, reading no more than that of the file. A file that turns out damaged further
/// on gives what comes before. Error: input (unreadable, or nothing of it can be decoded).
[[nodiscard]] Result<ZstdHead> decodeZstdHead(const InputFile& file, unsigned windowLog,
                                              const ZstdDictionary& dictionary, Bytes most);

}  // namespace mmapscope
