// Residency pictures as JSON.
#include <fmt/format.h>

#include "run/record_json.h"

namespace mmapscope {
namespace {

/// More looks and cells than any run takes.
constexpr std::size_t kMostCells = 65536;

int digitOf(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

Result<ResidencyHistory::Look> lookFromJson(const Json& json, const std::string& where) {
    ResidencyHistory::Look look;
    std::string cells;
    JsonReader reader(json, where);
    reader.required("t_ns", look.tNs);
    reader.required("cells", cells);
    reader.optional("sampled", look.sampled);
    bool sound = cells.size() % 2 == 0 && cells.size() / 2 <= kMostCells;
    for (std::size_t i = 0; sound && i < cells.size(); i += 2) {
        const int high = digitOf(cells[i]);
        const int low = digitOf(cells[i + 1]);
        sound = high >= 0 && low >= 0;
        look.cells.push_back(static_cast<std::uint8_t>(high * 16 + low));
    }
    if (!sound) {
        reader.wrong("cells", "is not hexadecimal digits, two a cell");
    }
    return reader.status().map([&] { return std::move(look); });
}

}  // namespace

Json residencyToJson(const ResidencyHistory& history) {
    Json json = Json::object();
    json["reason"] = history.reason.empty() ? Json() : Json(history.reason);
    json["file_bytes"] = history.fileBytes.count();
    Json& looks = json["looks"] = Json::array();
    for (const auto& look : history.looks) {
        std::string cells;
        cells.reserve(look.cells.size() * 2);
        for (const std::uint8_t cell : look.cells) {
            cells += fmt::format("{:02x}", cell);
        }
        Json one = Json::object();
        one["t_ns"] = look.tNs;
        one["cells"] = std::move(cells);
        if (look.sampled) {
            one["sampled"] = true;
        }
        looks.push_back(std::move(one));
    }
    return json;
}

Result<ResidencyHistory> residencyFromJson(const Json& json, const std::string& where) {
    ResidencyHistory history;
    JsonReader reader(json, where);
    reader.optional("reason", history.reason);
    reader.optional("file_bytes", history.fileBytes);
    if (const Json* looks = reader.array("looks")) {
        for (const Json& one : *looks) {
            auto look =
                lookFromJson(one, fmt::format("{}[{}]", reader.placeOf("looks"), history.looks.size()));
            if (!look) {
                return tl::unexpected(look.error());
            }
            history.looks.push_back(std::move(*look));
        }
    }
    return reader.status().map([&] { return std::move(history); });
}

}  // namespace mmapscope
