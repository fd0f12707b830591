// Parameters of sources and workloads: described once, then known to the CLI, the window and the study file.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/units.h"

namespace mmapscope {

enum class ParameterKind { bytes, integer, choice, flag, text };
/// What a text parameter's value names, so that nothing overwrites what is read, and no two write one file.
enum class FileRole { none, reads, writes };

struct ParameterSpec {
    std::string_view name;
    ParameterKind kind = ParameterKind::text;
    /// In the form the study file keeps; "auto" where the value depends on the file.
    std::string_view defaultValue;
    /// One sentence for tool tips and `arms`.
    std::string_view help;
    std::vector<std::string_view> choices = {};  ///< kind choice only
    Bytes least = Bytes(0);                      ///< kind bytes only, inclusive
    Bytes most = Bytes(UINT64_MAX);              ///< kind bytes only, inclusive
    Bytes multipleOf = Bytes(1);                 ///< kind bytes only
    FileRole file = FileRole::none;              ///< kind text only; empty values name none
};

/// name → canonical text. Every parameter of the spec is present after parseParameters.
using Parameters = std::map<std::string, std::string>;

/// Reads "64KiB" or "buffer=64KiB,positional=yes". A bare first value is the first spec's. A text may hold
/// commas: one before what looks like "name=" is written "\,", as is one behind a backslash. Missing ones get
/// their default; bytes become canonical ("64KiB"); "auto" is accepted where it is the default; flags are
/// yes/no. Error: usage, naming the parameter, what is accepted and the nearest known name.
[[nodiscard]] Result<Parameters> parseParameters(const std::vector<ParameterSpec>& specs,
                                                 std::string_view text);

/// Only what differs from the defaults, in the form parseParameters reads: "" or "64KiB" or "window=8MiB".
[[nodiscard]] std::string formatParameters(const std::vector<ParameterSpec>& specs,
                                           const Parameters& parameters);

/// Precondition for all three: parameters came from parseParameters with a spec of that kind and name.
[[nodiscard]] Bytes bytesOf(const Parameters& parameters, std::string_view name);
[[nodiscard]] bool flagOf(const Parameters& parameters, std::string_view name);
[[nodiscard]] const std::string& textOf(const Parameters& parameters, std::string_view name);

}  // namespace mmapscope
