// The front matter of a lesson as lines with their places; what the keys mean is not known here.
#pragma once

#include <string>
#include <vector>

#include "lesson/lesson_check.h"

namespace mmapscope {

struct FrontValue {
    std::string key, text;
    std::size_t line = 0;
};
/// "- key: value" and what is indented below it; or "- words", whose value has no key.
using FrontEntry = std::vector<FrontValue>;

struct FrontKey {
    FrontValue value;
    std::vector<FrontEntry> entries;  ///< of a key without a value
};

struct FrontMatter {
    std::vector<FrontKey> keys;
    std::vector<std::string> body;  ///< the lines below
    std::size_t bodyLine = 1;       ///< of its first line

    [[nodiscard]] const FrontKey* find(std::string_view key) const;
};

/// Nothing of it is kept where a line is not understood; that line is remarked on.
[[nodiscard]] FrontMatter readFrontMatter(std::string_view text, std::vector<LessonRemark>& remarks);

/// The value of a key in an entry; nullptr: not there.
[[nodiscard]] const FrontValue* valueOf(const FrontEntry& entry, std::string_view key);

}  // namespace mmapscope
