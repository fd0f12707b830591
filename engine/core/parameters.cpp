#include "core/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "core/nearest.h"
#include "core/text.h"

namespace mmapscope {
namespace {

const ParameterSpec* findSpec(const std::vector<ParameterSpec>& specs, std::string_view name) {
    const auto it =
        std::find_if(specs.begin(), specs.end(), [&](const ParameterSpec& s) { return s.name == name; });
    return it == specs.end() ? nullptr : &*it;
}

std::vector<std::string_view> namesOf(const std::vector<ParameterSpec>& specs) {
    std::vector<std::string_view> names;
    names.reserve(specs.size());
    for (const auto& spec : specs) {
        names.push_back(spec.name);
    }
    return names;
}

Result<std::string> canonicalBytes(const ParameterSpec& spec, std::string_view value) {
    const auto bytes = parseBytes(value);
    if (!bytes) {
        return fail(ErrorKind::usage, fmt::format("{}: {}", spec.name, bytes.error().message));
    }
    if (*bytes < spec.least || *bytes > spec.most) {
        return fail(ErrorKind::usage, spec.most == Bytes(UINT64_MAX)
                                          ? fmt::format("{}={}: at least {} is needed", spec.name, value,
                                                        formatBytes(spec.least))
                                          : fmt::format("{}={}: {} to {} are accepted", spec.name, value,
                                                        formatBytes(spec.least), formatBytes(spec.most)));
    }
    if (!(*bytes % spec.multipleOf).isZero()) {
        return fail(ErrorKind::usage, fmt::format("{}={}: must be a multiple of {}", spec.name, value,
                                                  formatBytes(spec.multipleOf)));
    }
    return formatBytesExact(*bytes);
}

/// "\," is a comma that belongs to the value.
std::string unescaped(std::string_view value) {
    std::string out;
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (value[i] != '\\' || i + 1 == value.size() || value[i + 1] != ',') {
            out += value[i];
        }
    }
    return out;
}

Result<std::string> canonical(const ParameterSpec& spec, std::string_view value) {
    if (value == spec.defaultValue) {
        return std::string(value);
    }
    switch (spec.kind) {
        case ParameterKind::bytes:
            return canonicalBytes(spec, value);
        case ParameterKind::integer: {
            std::uint64_t number = 0;
            const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
            if (error != std::errc() || end != value.data() + value.size() || Bytes(number) < spec.least ||
                Bytes(number) > spec.most) {
                return fail(ErrorKind::usage,
                            spec.most == Bytes(UINT64_MAX)
                                ? fmt::format("{}={}: a whole number of at least {} is needed", spec.name,
                                              printable(value), spec.least.count())
                                : fmt::format("{}={}: a whole number from {} to {} is needed", spec.name,
                                              printable(value), spec.least.count(), spec.most.count()));
            }
            return fmt::format("{}", number);
        }
        case ParameterKind::choice:
            if (std::find(spec.choices.begin(), spec.choices.end(), value) == spec.choices.end()) {
                return fail(ErrorKind::usage, fmt::format("{}={}: one of {} is needed", spec.name,
                                                          printable(value), fmt::join(spec.choices, ", ")));
            }
            return std::string(value);
        case ParameterKind::flag:
            if (value == "yes" || value == "no") {
                return std::string(value);
            }
            return fail(ErrorKind::usage,
                        fmt::format("{}={}: yes or no is needed", spec.name, printable(value)));
        case ParameterKind::text:
            return unescaped(value);
    }
    return std::string(value);
}

tl::unexpected<Error> noParameter(const std::vector<ParameterSpec>& specs, std::string_view word,
                                  std::string_view takes) {
    const std::string question = didYouMean(word, namesOf(specs));
    return fail(ErrorKind::usage, fmt::format("no parameter \"{}\"{} It takes {}", printable(word),
                                              question.empty() ? "." : question, takes));
}

/// "piece" of "piece=64KiB,…"; empty where no word that could be a parameter stands before a '='.
std::string_view nameAt(std::string_view text) {
    const std::string_view word = text.substr(0, text.find('='));
    const bool isName = word.size() < text.size() && std::all_of(word.begin(), word.end(), [](char c) {
                            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                   (c >= '0' && c <= '9') || c == '-' || c == '_';
                        });
    return isName ? word : std::string_view();
}

/// So that parseParameters takes it back: commas that it would take for a border.
std::string escaped(std::string_view value) {
    std::string out;
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (value[i] == ',' && ((i > 0 && value[i - 1] == '\\') || !nameAt(value.substr(i + 1)).empty())) {
            out += '\\';
        }
        out += value[i];
    }
    return out;
}

}  // namespace

Result<Parameters> parseParameters(const std::vector<ParameterSpec>& specs, std::string_view text) {
    Parameters parameters;
    for (const auto& spec : specs) {
        parameters.emplace(spec.name, spec.defaultValue);
    }
    std::vector<std::string_view> seen;
    bool first = true;
    while (!text.empty()) {
        std::size_t comma = text.find(',');
        std::string_view item = text.substr(0, comma);
        const ParameterSpec* spec = nullptr;
        std::string_view value;
        const std::size_t equals = item.find('=');
        if (equals == std::string_view::npos) {
            if (!first || specs.empty()) {
                return fail(ErrorKind::usage,
                            specs.empty() ? fmt::format("\"{}\": it takes no parameters", printable(item))
                                          : fmt::format("\"{}\": write name=value", printable(item)));
            }
            spec = &specs.front();
            value = item;
        } else {
            const std::string_view wanted = item.substr(0, equals);
            spec = findSpec(specs, wanted);
            if (spec == nullptr) {
                return specs.empty()
                           ? fail(ErrorKind::usage,
                                  fmt::format("\"{}\": it takes no parameters", printable(wanted)))
                           : noParameter(specs, wanted, fmt::format("{}", fmt::join(namesOf(specs), ", ")));
            }
            value = item.substr(equals + 1);
        }
        // A column list holds commas itself: a text parameter runs to the end of the argument, or to the next
        // ",name=" of a parameter there is.
        if (spec->kind == ParameterKind::text && comma != std::string_view::npos) {
            std::size_t end = comma;
            for (; end != std::string_view::npos; end = text.find(',', end + 1)) {
                const std::string_view word = text[end - 1] == '\\' ? "" : nameAt(text.substr(end + 1));
                if (word.empty()) {
                    continue;
                }
                if (findSpec(specs, word) != nullptr) {
                    break;
                }
                // A mistyped parameter must not become a part of a file's name.
                const std::string takes = fmt::format("{} (a comma of {}'s own is written \\,)",
                                                      fmt::join(namesOf(specs), ", "), spec->name);
                return noParameter(specs, word, takes);
            }
            const std::size_t begin = static_cast<std::size_t>(value.data() - text.data());
            comma = end;
            value = text.substr(begin, comma == std::string_view::npos ? comma : comma - begin);
        }
        if (std::find(seen.begin(), seen.end(), spec->name) != seen.end()) {
            return fail(ErrorKind::usage, fmt::format("{} is given twice", spec->name));
        }
        seen.push_back(spec->name);
        auto canonicalValue = canonical(*spec, value);
        if (!canonicalValue) {
            return tl::unexpected(canonicalValue.error());
        }
        parameters[std::string(spec->name)] = std::move(*canonicalValue);
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
        first = false;
    }
    return parameters;
}

std::string formatParameters(const std::vector<ParameterSpec>& specs, const Parameters& parameters) {
    std::string out;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        const auto it = parameters.find(std::string(specs[i].name));
        if (it == parameters.end() || it->second == specs[i].defaultValue) {
            continue;
        }
        if (!out.empty()) {
            out += ',';
        }
        // "64KiB" says what it is; "yes" or "advise" doesn't.
        if (i != 0 || specs[i].kind != ParameterKind::bytes) {
            out += specs[i].name;
            out += '=';
        }
        out += specs[i].kind == ParameterKind::text ? escaped(it->second) : it->second;
    }
    return out;
}

Bytes bytesOf(const Parameters& parameters, std::string_view name) {
    return parseBytes(textOf(parameters, name)).value_or(Bytes(0));
}

bool flagOf(const Parameters& parameters, std::string_view name) {
    return textOf(parameters, name) == "yes";
}

const std::string& textOf(const Parameters& parameters, std::string_view name) {
    static const std::string none;
    const auto it = parameters.find(std::string(name));
    return it == parameters.end() ? none : it->second;
}

}  // namespace mmapscope
