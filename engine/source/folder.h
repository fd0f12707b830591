// A folder's files, one after the other, each read by a source of its own.
#pragma once

#include <memory>

#include "source/source.h"

namespace mmapscope {

/// The source of a run: for a folder (input.members) one that opens the named source anew for each file when
/// it comes to it and closes it behind, on the thread that consumes it, as a program that walks a folder
/// does; else the named source itself. `input` outlives it.
[[nodiscard]] std::unique_ptr<Source> makeSource(const SourceType& type, const Parameters& parameters,
                                                 const SourceInput& input);

/// Whether this machine can run it now on the file, or on every file of a folder.
[[nodiscard]] Availability availabilityFor(const SourceType& type, const FileFacts& input,
                                           const Parameters& parameters, Range range, unsigned threads);

}  // namespace mmapscope
