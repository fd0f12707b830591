#include "lesson/front_matter.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "probe/fields.h"

namespace mmapscope {
namespace {

constexpr std::string_view kFence = "---";

std::vector<std::string> linesOf(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) {
        text.remove_prefix(3);
    }
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        lines.emplace_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

bool isKey(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
}

/// "key: value" → both; nullopt: it isn't that.
std::optional<FrontValue> keyAndValue(std::string_view text, std::size_t line) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || !isKey(text.substr(0, colon)) ||
        (colon + 1 < text.size() && text[colon + 1] != ' ')) {
        return std::nullopt;
    }
    return FrontValue{std::string(text.substr(0, colon)), std::string(trimmed(text.substr(colon + 1))), line};
}

class Reader {
  public:
    explicit Reader(std::vector<LessonRemark>& remarks) : remarks_(remarks) {}

    void take(const std::string& line, std::size_t number) {
        const std::string_view words = trimmed(line);
        if (words.empty() || words.starts_with('#')) {
            return;
        }
        const std::size_t indent = line.find_first_not_of(' ');
        if (line[indent] == '\t') {
            remark(number, "a tab indents this line; use spaces");
        } else if (words.starts_with("- ") || words == "-") {
            takeItem(trimmed(words.substr(1)), indent, number);
        } else if (indent == 0) {
            takeKey(words, number);
        } else {
            takeDeeper(words, indent, number);
        }
    }

    [[nodiscard]] std::vector<FrontKey> keys() { return std::move(keys_); }

  private:
    void remark(std::size_t line, std::string text) { remarks_.push_back({line, true, std::move(text)}); }

    void takeKey(std::string_view words, std::size_t number) {
        auto value = keyAndValue(words, number);
        if (!value) {
            remark(number,
                   fmt::format("\"{}\" is not \"key: value\"; write a key of small letters, a colon, a "
                               "blank and the value, all on one line",
                               printable(words)));
            return;
        }
        const auto same = std::find_if(keys_.begin(), keys_.end(),
                                       [&](const FrontKey& key) { return key.value.key == value->key; });
        if (same != keys_.end()) {
            remark(number, fmt::format("{} stands here and in line {}; keep one of them", value->key,
                                       same->value.line));
        }
        keys_.push_back({std::move(*value), {}});
        itemIndent_ = 0;
    }

    void takeItem(std::string_view words, std::size_t indent, std::size_t number) {
        if (keys_.empty() || !keys_.back().value.text.empty()) {
            remark(number, "a list needs a key without a value above it, such as \"sources:\"");
            return;
        }
        itemIndent_ = indent + 1;
        if (words.empty()) {
            remark(number, "an empty entry; write something behind the dash, or remove it");
            return;
        }
        auto value = keyAndValue(words, number);
        keys_.back().entries.push_back(
            {value ? std::move(*value) : FrontValue{"", std::string(words), number}});
    }

    void takeDeeper(std::string_view words, std::size_t indent, std::size_t number) {
        auto value = keyAndValue(words, number);
        const bool inEntry = !keys_.empty() && !keys_.back().entries.empty() && indent >= itemIndent_ &&
                             !keys_.back().entries.back().front().key.empty();
        if (!value || !inEntry) {
            remark(number,
                   "this line is indented but belongs to no entry; a value stands on one line, and an "
                   "entry begins with \"- key: value\"");
            return;
        }
        FrontEntry& entry = keys_.back().entries.back();
        if (const FrontValue* same = valueOf(entry, value->key)) {
            remark(number,
                   fmt::format("{} stands here and in line {}; keep one of them", value->key, same->line));
        }
        entry.push_back(std::move(*value));
    }

    std::vector<LessonRemark>& remarks_;
    std::vector<FrontKey> keys_;
    std::size_t itemIndent_ = 0;  ///< least indentation of an entry's further lines
};

}  // namespace

const FrontKey* FrontMatter::find(std::string_view key) const {
    const auto it =
        std::find_if(keys.begin(), keys.end(), [&](const FrontKey& k) { return k.value.key == key; });
    return it == keys.end() ? nullptr : &*it;
}

const FrontValue* valueOf(const FrontEntry& entry, std::string_view key) {
    const auto it =
        std::find_if(entry.begin(), entry.end(), [&](const FrontValue& value) { return value.key == key; });
    return it == entry.end() ? nullptr : &*it;
}

FrontMatter readFrontMatter(std::string_view text, std::vector<LessonRemark>& remarks) {
    std::vector<std::string> lines = linesOf(text);
    FrontMatter matter;
    if (lines.empty() || trimmed(lines.front()) != kFence) {
        remarks.push_back(
            {1, true, "a lesson begins with a line \"---\" and its keys; add them above the text"});
        return matter;
    }
    const auto end = std::find_if(lines.begin() + 1, lines.end(),
                                  [](const std::string& line) { return trimmed(line) == kFence; });
    if (end == lines.end()) {
        remarks.push_back({1, true, "the keys have no end; add a line \"---\" between them and the text"});
        return matter;
    }
    Reader reader(remarks);
    for (auto line = lines.begin() + 1; line != end; ++line) {
        reader.take(*line, static_cast<std::size_t>(line - lines.begin()) + 1);
    }
    matter.keys = reader.keys();
    matter.bodyLine = static_cast<std::size_t>(end - lines.begin()) + 2;
    matter.body.assign(std::make_move_iterator(end + 1), std::make_move_iterator(lines.end()));
    return matter;
}

}  // namespace mmapscope
