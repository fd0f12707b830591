// Reads the members of one JSON object without ever throwing: every value of a study file is outside input.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/units.h"

namespace mmapscope {

/// Members keep the order they were written in.
using Json = nlohmann::ordered_json;

/// JSON from text, never throwing. Error: input, with the place; also for more than `maxDepth` nested levels,
/// so that hostile nesting can't exhaust the stack later.
[[nodiscard]] Result<Json> parseJson(std::string_view text, std::size_t maxDepth = 64);
/// Compact for indent -1. Bytes that are not UTF-8 become U+FFFD, never an exception.
[[nodiscard]] std::string dumpJson(const Json& json, int indent = -1);

/// A path or other text that need not be UTF-8: a string, or {"hex":"…"} for bytes JSON can't hold.
[[nodiscard]] Json rawTextToJson(const std::string& text);

/// Remembers the first thing wrong, so that a caller reads everything and checks status() once. Keys never
/// asked for are ignored. Integral values written as 1e9 are accepted where they are exact.
class JsonReader {
  public:
    /// `where` names the object in errors: "runs[3]".
    JsonReader(const Json& value, std::string where);

    /// Required: missing, null or of another type is an error; `out` then keeps its value.
    template <class T>
    void required(std::string_view key, T& out) {
        if (const Json* value = member(key); value != nullptr) {
            convert(*value, key, out);
        } else {
            wrong(key, "is missing");
        }
    }
    /// Missing or null leaves `out` as it is; another type is an error.
    template <class T>
    void optional(std::string_view key, T& out) {
        if (const Json* value = member(key); value != nullptr) {
            convert(*value, key, out);
        }
    }
    /// Missing or null gives nullopt.
    template <class T>
    void optional(std::string_view key, std::optional<T>& out) {
        out.reset();
        if (const Json* value = member(key); value != nullptr) {
            T read{};
            if (convert(*value, key, read)) {
                out = read;
            }
        }
    }
    /// One of `values`, by name(value) found through argument-dependent lookup. Missing or null is an error.
    template <class E, std::size_t N>
    void requiredChoice(std::string_view key, E& out, const E (&values)[N]) {
        std::string text;
        required(key, text);
        for (const E value : values) {
            if (name(value) == text) {
                out = value;
                return;
            }
        }
        wrong(key, "has an unknown value");
    }

    /// A member that is an object (array): nullptr when missing or null; of another type is an error.
    [[nodiscard]] const Json* object(std::string_view key);
    [[nodiscard]] const Json* array(std::string_view key);
    /// The place of a member, for a reader of its own: "runs[3].cache".
    [[nodiscard]] std::string placeOf(std::string_view key) const;

    /// "runs[3].wall_ns <what>"; only the first is kept.
    void wrong(std::string_view key, std::string_view what);
    void adopt(const Status& status);
    [[nodiscard]] const Status& status() const { return status_; }

  private:
    [[nodiscard]] const Json* member(std::string_view key) const;  ///< nullptr when missing or null
    bool convert(const Json& value, std::string_view key, std::uint64_t& out);
    bool convert(const Json& value, std::string_view key, std::uint32_t& out);
    bool convert(const Json& value, std::string_view key, std::int64_t& out);
    bool convert(const Json& value, std::string_view key, std::int32_t& out);
    bool convert(const Json& value, std::string_view key, double& out);
    bool convert(const Json& value, std::string_view key, bool& out);
    /// Also takes what rawTextToJson wrote.
    bool convert(const Json& value, std::string_view key, std::string& out);
    bool convert(const Json& value, std::string_view key, Bytes& out);
    bool convert(const Json& value, std::string_view key, std::chrono::nanoseconds& out);
    template <class T>
    bool convert(const Json& value, std::string_view key, std::vector<T>& out) {
        if (!value.is_array()) {
            wrong(key, "is not an array");
            return false;
        }
        out.clear();
        out.reserve(value.size());
        for (const Json& element : value) {
            if (T one{}; convert(element, key, one)) {
                out.push_back(std::move(one));
            } else {
                return false;
            }
        }
        return true;
    }

    const Json* object_ = nullptr;
    std::string where_;
    Status status_;
};

}  // namespace mmapscope
