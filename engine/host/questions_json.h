// Questions, answers and orders as JSON, for the way over ssh. Both ends are of one protocol version, so that
// enumerators go as numbers; what comes is checked as any outside input.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "host/questions.h"
#include "run/json_reader.h"
#include "run/run_record.h"

namespace mmapscope {

/// A change of the page cache that is asked for.
struct PrepareQuestion {
    std::string path;
    CacheState state = CacheState::warm;
};
struct ResidencyQuestion {
    std::string path;
};

[[nodiscard]] Json toJson(const FileQuestion& question);
[[nodiscard]] Json toJson(const FileAnswer& answer);
[[nodiscard]] Json toJson(const ArmsQuestion& question);
[[nodiscard]] Json toJson(const ArmsAnswer& answer);
[[nodiscard]] Json toJson(const ResidencyQuestion& question);
[[nodiscard]] Json toJson(const ResidencyNow& answer);
[[nodiscard]] Json toJson(const PrepareQuestion& question);
[[nodiscard]] Json toJson(const CacheFacts& answer);
[[nodiscard]] Json toJson(const ReportQuestion& question);
/// But for `resumed`, which goes before it in a frame of its own.
[[nodiscard]] Json toJson(const StudyOrder& order);
[[nodiscard]] Json toJson(const Progress& progress);
[[nodiscard]] Json toJson(const Error& error);

/// For each type above. Error: input, naming what is wrong.
template <class T>
[[nodiscard]] Result<T> fromJson(const Json& json);

/// A study without its runs, as text; what the machine calls itself goes into its environment.
[[nodiscard]] std::string bareStudyToText(const Study& study, const std::string& ownName);

}  // namespace mmapscope
