// An arm as a program: short, complete C that gets a file's bytes the same way, for whoever wants to use what
// a study found.
#pragma once

#include <string>

#include "core/result.h"
#include "study/study.h"

namespace mmapscope {

/// C11 for Linux. `readAhead`: what one request for readahead reads where it was measured; absent: 128 KiB,
/// the kernel's default. `measured`: a comment's lines without its marks; may be empty. Error: usage, for a
/// source or a parameter that isn't known.
[[nodiscard]] Result<std::string> snippetOf(const std::string& source, const Parameters& parameters,
                                            std::optional<Bytes> readAhead = {},
                                            const std::string& measured = {});

/// The arm `id` of a study; the fastest as far as its summary tells where `id` is empty. Error: usage.
[[nodiscard]] Result<std::string> snippetOfStudy(const Study& study, const std::string& id = {});

}  // namespace mmapscope
