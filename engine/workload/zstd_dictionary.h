// Dictionaries for the zstd workload: a file given by name, made ready for libzstd.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/units.h"

struct ZSTD_DDict_s;

namespace mmapscope {

/// The largest dictionary taken: the zstd program's own bound for training and use without --patch-from.
inline constexpr Bytes kMaxDictionary = mib(32);

struct FreeDDict {
    void operator()(ZSTD_DDict_s* dictionary) const;
};

/// `ready` is null without a dictionary. Its memory is counted as the arm's heap.
struct ZstdDictionary {
    std::unique_ptr<ZSTD_DDict_s, FreeDDict> ready;
    std::uint32_t id = 0;  ///< 0: none, or raw content that frames can't name
};

/// An empty path gives no dictionary. Error: input (unreadable, empty, too large, damaged), in one line.
[[nodiscard]] Result<ZstdDictionary> loadZstdDictionary(const std::string& path);

}  // namespace mmapscope
