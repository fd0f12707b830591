// "Key:   1672 kB" lines, as meminfo, status and smaps under /proc write them.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "probe/fields.h"

namespace mmapscope {

struct KeyValue {
    std::string_view key;
    std::string_view value;  ///< with the blanks after the colon
};
/// Splits a line at its first colon; nullopt when there is none.
[[nodiscard]] inline std::optional<KeyValue> splitAtColon(std::string_view line) noexcept {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    return KeyValue{line.substr(0, colon), line.substr(colon + 1)};
}

/// The key in the text of one size, and where it goes.
template <typename Record>
struct SizeField {
    std::string_view key;
    std::optional<Bytes> Record::*member;
};

/// nullptr when no field has that key.
template <typename Record, std::size_t count>
[[nodiscard]] const SizeField<Record>* findSizeField(const std::array<SizeField<Record>, count>& fields,
                                                     std::string_view key) noexcept {
    const auto found = std::find_if(fields.begin(), fields.end(),
                                    [key](const SizeField<Record>& field) { return field.key == key; });
    return found == fields.end() ? nullptr : &*found;
}

}  // namespace mmapscope
