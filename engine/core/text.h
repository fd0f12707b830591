// Sizes and durations as people write and read them. Always the C locale.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "core/result.h"
#include "core/units.h"

namespace mmapscope {

/// "4096", "64KiB", "1.5GiB" (KiB, MiB, GiB, TiB; any case; a space before the unit is fine; plain K, M, G
/// are refused because they mean two things). Error: usage, naming the text and the accepted forms.
[[nodiscard]] Result<Bytes> parseBytes(std::string_view text);

/// "64 KiB", "128.5 MiB", "4095 B": the largest unit that keeps at most one decimal and a value >= 1.
[[nodiscard]] std::string formatBytes(Bytes bytes);

/// Both as formatBytes gives them, or in bytes where two that differ would read the same.
[[nodiscard]] std::pair<std::string, std::string> formatBytesApart(Bytes a, Bytes b);

/// The form parseBytes takes back without loss: "64KiB", "4095".
[[nodiscard]] std::string formatBytesExact(Bytes bytes);

/// Throughput in MiB/s or GiB/s with three significant digits: "842 MiB/s", "5.13 GiB/s".
[[nodiscard]] std::string formatRate(double bytesPerSecond);

/// "12.3 ms", "870 µs", "1.42 s", "2 min 5 s".
[[nodiscard]] std::string formatDuration(std::chrono::nanoseconds duration);

/// A path or other outside text made safe for one line of a terminal: control characters escaped as \xNN, and
/// words of more than 400 bytes shown by their ends.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace mmapscope
