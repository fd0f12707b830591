#include "probe/machine_counters.h"

#include "probe/fields.h"

namespace mmapscope {
namespace {

/// The number behind a key that begins a field, such as "total=".
std::optional<std::uint64_t> numberAfter(std::string_view line, std::string_view key) noexcept {
    Fields fields(line);
    for (std::string_view field = fields.next(); !field.empty(); field = fields.next()) {
        if (field.substr(0, key.size()) == key) {
            return parseUnsigned(field.substr(key.size()));
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> parsePressure(std::string_view text) noexcept {
    Lines lines(text);
    while (const auto line = lines.next()) {
        if (Fields fields(*line); fields.next() == "some") {
            return numberAfter(fields.rest(), "total=");
        }
    }
    return std::nullopt;
}

std::optional<std::uint64_t> parseRefaults(std::string_view text) noexcept {
    Lines lines(text);
    while (const auto line = lines.next()) {
        Fields fields(*line);
        const std::string_view key = fields.next();
        if (key == "workingset_refault_file" || key == "workingset_refault") {
            return parseUnsigned(fields.next());
        }
    }
    return std::nullopt;
}

std::optional<std::uint64_t> parseTlbShootdowns(std::string_view text) noexcept {
    Lines lines(text);
    while (const auto line = lines.next()) {
        Fields fields(*line);
        if (fields.next() != "TLB:") {
            continue;
        }
        std::optional<std::uint64_t> sum;
        // A column for every CPU that is online, then the words.
        for (auto count = parseUnsigned(fields.next()); count; count = parseUnsigned(fields.next())) {
            sum = sum.value_or(0) + *count;
        }
        return sum;
    }
    return std::nullopt;
}

}  // namespace mmapscope
