// The files that a study reads and writes beside its own: no output may overwrite one.
#pragma once

#include <string>
#include <vector>

#include "core/parameters.h"
#include "core/result.h"
#include "run/run_record.h"
#include "study/study.h"

namespace mmapscope {

struct NamedFile {
    std::string by;  ///< the parameter that names it: "torrent="
    std::string path;
};

/// Files that a workload's parameters name, by their role. None of a workload that this version lacks.
[[nodiscard]] std::vector<NamedFile> filesOf(const std::string& workload, const Parameters& parameters,
                                             FileRole role);

/// Error: usage, when writing `path` would overwrite what is read: the measured file, or one that a parameter
/// names; or put a file into the measured folder.
[[nodiscard]] Status checkKeepsRead(const std::string& path, const std::string& measured,
                                    const std::string& workload, const Parameters& parameters);
/// The same for all arms of a study.
[[nodiscard]] Status checkKeepsRead(const std::string& path, const Study& study);

}  // namespace mmapscope
