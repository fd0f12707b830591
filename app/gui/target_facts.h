// Everything the window shows of the file it looks at; gathered off the window's thread.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/result.h"
#include "probe/file_facts.h"

namespace mmapscope {

struct TargetFacts {
    FileFacts file;
    std::string workload;     ///< id, as suggested by the file's content
    std::string description;  ///< the file as that workload sees it; may be empty
};

/// Error: input, in one line.
[[nodiscard]] Result<TargetFacts> inspectTarget(const std::string& path);

/// Whether the file is a study rather than something to measure, from its first bytes.
[[nodiscard]] bool looksLikeStudy(const std::string& path);

/// "2 MiB 88 %, 64 KiB 12 %", or why it isn't told.
[[nodiscard]] Result<std::string> lookAtFolioSizes(const FileFacts& file);

/// What is in the page cache now, part by part.
[[nodiscard]] Result<std::vector<float>> lookAtResidency(const FileFacts& file);

}  // namespace mmapscope
