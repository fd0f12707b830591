// Parameters in the window's words: what a cell shows, what it accepts, what its tool tip says.
#pragma once

#include <QString>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameters.h"

namespace mmapscope {

[[nodiscard]] QString toQString(std::string_view text);

[[nodiscard]] Parameters defaultParameters(const std::vector<ParameterSpec>& specs);
/// "64 KiB", "sequential", "auto".
[[nodiscard]] QString valueInShort(const ParameterSpec& spec, const std::string& value);
/// "16 MiB, ahead 64 MiB, sequential": all values; of several, flags by name and only when set.
[[nodiscard]] QString valuesInShort(const std::vector<ParameterSpec>& specs, const Parameters& parameters);
/// One parameter's canonical text. Error: usage, what is accepted.
[[nodiscard]] Result<std::string> parseValue(const ParameterSpec& spec, const QString& text);
/// Help, accepted values and default, for a tool tip.
[[nodiscard]] QString parameterHelp(const ParameterSpec& spec);

}  // namespace mmapscope
