// The files of resources/snippets, built in.
#pragma once

#include <span>
#include <string_view>

namespace mmapscope {

struct SnippetText {
    std::string_view name;
    std::string_view text;
};
[[nodiscard]] std::span<const SnippetText> snippetTexts();

}  // namespace mmapscope
