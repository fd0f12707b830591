// Everything the window shows of the file it looks at; gathered off the window's thread.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/result.h"
#include "probe/file_facts.h"
#include "probe/folios.h"
#include "probe/residency.h"

namespace mmapscope {

struct TargetFacts {
    FileFacts file;
    std::string workload;     ///< id, as suggested by the file's content
    std::string description;  ///< the file as that workload sees it; may be empty
};

/// Error: input, in one line.
[[nodiscard]] Result<TargetFacts> inspectTarget(const std::string& path);

/// Whether the file is a study rather than something to measure, from its first bytes; by its name too, so
/// that a damaged one is refused as a study.
[[nodiscard]] bool looksLikeStudy(const std::string& path);

/// How large the pieces are that the page cache holds the file in, or why it isn't told.
[[nodiscard]] Result<FolioLook> lookAtFolioSizes(const FileFacts& file);

struct ResidencyNow {
    Residency whole;
    std::vector<float> parts;
};
/// What is in the page cache now, whole and part by part (estimated parts of a file over 4 GiB).
[[nodiscard]] Result<ResidencyNow> lookAtResidency(const FileFacts& file);

}  // namespace mmapscope
