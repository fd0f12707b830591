#include "run/json_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace mmapscope {
namespace {

/// Above it a double no longer names one integer.
constexpr double kExactDouble = 9007199254740992.0;

std::optional<std::int64_t> exactInteger(const Json& value) {
    if (!value.is_number_float()) {
        return std::nullopt;
    }
    const double number = value.get<double>();
    if (!std::isfinite(number) || std::abs(number) > kExactDouble || std::trunc(number) != number) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(number);
}

/// -1 for anything but a hexadecimal digit.
int hexDigit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::optional<std::string> fromHex(const std::string& text) {
    if (text.size() % 2 != 0) {
        return std::nullopt;
    }
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = hexDigit(text[i]);
        const int low = hexDigit(text[i + 1]);
        if (high < 0 || low < 0) {
            return std::nullopt;
        }
        bytes.push_back(static_cast<char>(high * 16 + low));
    }
    return bytes;
}

}  // namespace

Result<Json> parseJson(std::string_view text, std::size_t maxDepth) {
    try {
        bool tooDeep = false;
        const auto limit = [&](int depth, Json::parse_event_t, Json&) {
            tooDeep = tooDeep || depth > static_cast<int>(maxDepth);
            return !tooDeep;
        };
        Json json = Json::parse(text, limit);
        if (tooDeep) {
            return fail(ErrorKind::input, fmt::format("JSON nested more than {} levels deep", maxDepth));
        }
        return json;
    } catch (const Json::parse_error& e) {
        // The library's own words are about its grammar, not for a person.
        const std::size_t at = e.byte > 0 ? e.byte - 1 : 0;
        return fail(ErrorKind::input, at >= text.size()
                                          ? fmt::format("it ends in the middle, after {} bytes", text.size())
                                          : fmt::format("it is no JSON from byte {} on", at));
    } catch (const std::exception&) {
        return fail(ErrorKind::input, "it holds what JSON can't");
    }
}

std::string dumpJson(const Json& json, int indent) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json rawTextToJson(const std::string& text) {
    try {
        Json json = text;
        (void)json.dump();
        return json;
    } catch (const Json::exception&) {
        std::string hex;
        for (const char c : text) {
            hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
        }
        Json json = Json::object();
        json["hex"] = hex;
        return json;
    }
}

JsonReader::JsonReader(const Json& value, std::string where) : where_(std::move(where)) {
    if (value.is_object()) {
        object_ = &value;
    } else {
        status_ = fail(ErrorKind::input, where_ + " is not an object");
    }
}

const Json* JsonReader::member(std::string_view key) const {
    if (object_ == nullptr) {
        return nullptr;
    }
    const auto it = object_->find(std::string(key));
    return it == object_->end() || it->is_null() ? nullptr : &*it;
}

std::string JsonReader::placeOf(std::string_view key) const {
    return where_.empty() ? std::string(key) : fmt::format("{}.{}", where_, key);
}

void JsonReader::wrong(std::string_view key, std::string_view what) {
    adopt(fail(ErrorKind::input, fmt::format("{} {}", placeOf(key), what)));
}

void JsonReader::adopt(const Status& status) {
    if (status_ && !status) {
        status_ = status;
    }
}

const Json* JsonReader::object(std::string_view key) {
    const Json* value = member(key);
    if (value != nullptr && !value->is_object()) {
        wrong(key, "is not an object");
        return nullptr;
    }
    return value;
}

const Json* JsonReader::array(std::string_view key) {
    const Json* value = member(key);
    if (value != nullptr && !value->is_array()) {
        wrong(key, "is not an array");
        return nullptr;
    }
    return value;
}

bool JsonReader::convert(const Json& value, std::string_view key, std::uint64_t& out) {
    if (value.is_number_unsigned()) {
        out = value.get<std::uint64_t>();
        return true;
    }
    if (value.is_number_integer()) {
        // Numbers made in memory are signed although they are not negative.
        if (const auto number = value.get<std::int64_t>(); number >= 0) {
            out = static_cast<std::uint64_t>(number);
            return true;
        }
    } else if (const auto exact = exactInteger(value); exact && *exact >= 0) {
        out = static_cast<std::uint64_t>(*exact);
        return true;
    }
    wrong(key, "is not a whole number from 0 up");
    return false;
}

bool JsonReader::convert(const Json& value, std::string_view key, std::int64_t& out) {
    if (value.is_number_unsigned()) {
        const auto number = value.get<std::uint64_t>();
        if (number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
            out = static_cast<std::int64_t>(number);
            return true;
        }
    } else if (value.is_number_integer()) {
        out = value.get<std::int64_t>();
        return true;
    } else if (const auto exact = exactInteger(value)) {
        out = *exact;
        return true;
    }
    wrong(key, "is not a whole number of 64 bits");
    return false;
}

bool JsonReader::convert(const Json& value, std::string_view key, std::uint32_t& out) {
    std::uint64_t wide = 0;
    if (!convert(value, key, wide)) {
        return false;
    }
    if (wide > std::numeric_limits<std::uint32_t>::max()) {
        wrong(key, "is larger than 32 bits hold");
        return false;
    }
    out = static_cast<std::uint32_t>(wide);
    return true;
}

bool JsonReader::convert(const Json& value, std::string_view key, std::int32_t& out) {
    std::int64_t wide = 0;
    if (!convert(value, key, wide)) {
        return false;
    }
    if (wide < std::numeric_limits<std::int32_t>::min() || wide > std::numeric_limits<std::int32_t>::max()) {
        wrong(key, "is larger than 32 bits hold");
        return false;
    }
    out = static_cast<std::int32_t>(wide);
    return true;
}

bool JsonReader::convert(const Json& value, std::string_view key, double& out) {
    if (value.is_number()) {
        if (const auto number = value.get<double>(); std::isfinite(number)) {
            out = number;
            return true;
        }
    }
    wrong(key, "is not a finite number");
    return false;
}

bool JsonReader::convert(const Json& value, std::string_view key, bool& out) {
    if (!value.is_boolean()) {
        wrong(key, "is not true or false");
        return false;
    }
    out = value.get<bool>();
    return true;
}

bool JsonReader::convert(const Json& value, std::string_view key, std::string& out) {
    if (value.is_string()) {
        out = value.get_ref<const std::string&>();
        return true;
    }
    if (value.is_object() && value.size() == 1 && value.contains("hex") && value["hex"].is_string()) {
        if (auto bytes = fromHex(value["hex"].get_ref<const std::string&>())) {
            out = std::move(*bytes);
            return true;
        }
    }
    wrong(key, "is not text");
    return false;
}

bool JsonReader::convert(const Json& value, std::string_view key, Bytes& out) {
    std::uint64_t count = 0;
    if (!convert(value, key, count)) {
        return false;
    }
    out = Bytes(count);
    return true;
}

bool JsonReader::convert(const Json& value, std::string_view key, std::chrono::nanoseconds& out) {
    std::int64_t count = 0;
    if (!convert(value, key, count)) {
        return false;
    }
    out = std::chrono::nanoseconds(count);
    return true;
}

}  // namespace mmapscope
