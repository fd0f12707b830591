// Studies side by side for other programs.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/comparison.h"
#include "report/tables.h"

namespace mmapscope {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
std::string number(const std::optional<T>& value) {
    return value ? fmt::format("{}", *value) : std::string();
}

template <class T>
Json orNull(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

std::string_view verdictOf(std::size_t side, const ComparedArm& arm) {
    return name(side == 0 ? Verdict::baseline : arm.change ? arm.change->verdict : Verdict::unranked);
}

Json toJson(std::size_t side, const ComparedArm& arm) {
    Json json{{"present", arm.present}, {"runs", arm.runs}};
    json["bytes_per_second"] = orNull(arm.bytesPerSecond);
    const auto figure = [&](auto get) { return arm.change ? Json(get(*arm.change)) : Json(nullptr); };
    json["ratio"] = figure([](const JudgedChange& c) { return c.interval.ratio; });
    json["ratio_low"] = figure([](const JudgedChange& c) { return c.interval.low; });
    json["ratio_high"] = figure([](const JudgedChange& c) { return c.interval.high; });
    json["confidence"] = figure([](const JudgedChange& c) { return c.level; });
    json["p_value"] = figure([](const JudgedChange& c) { return c.pValue; });
    json["verdict"] = verdictOf(side, arm);
    json["reason"] = arm.reason.empty() ? Json(nullptr) : Json(arm.reason);
    return json;
}

}  // namespace

std::string comparisonToCsv(const SideBySide& compared) {
    std::string out =
        "arm_id,side,runs,bytes_per_second,ratio,ratio_low,ratio_high,confidence,p_value,verdict,reason\r\n";
    for (const ComparedRow& row : compared.rows) {
        for (std::size_t side = 0; side < row.sides.size(); ++side) {
            const ComparedArm& arm = row.sides[side];
            const std::string& refusal = compared.sides[side].refusal;
            out += fmt::format("{},{},{},{},", csvQuoted(row.id), csvQuoted(compared.sides[side].name),
                               arm.runs, number(arm.bytesPerSecond));
            if (arm.change) {
                const JudgedChange& c = *arm.change;
                out += fmt::format("{},{},{},{},{},", c.interval.ratio, c.interval.low, c.interval.high,
                                   c.level, c.pValue);
            } else {
                out += ",,,,,";
            }
            out += fmt::format("{},{}\r\n", verdictOf(side, arm),
                               csvQuoted(arm.reason.empty() ? refusal : arm.reason));
        }
    }
    return out;
}

std::string comparisonToJson(const SideBySide& compared) {
    Json root;
    root["sides"] = Json::array();
    for (const ComparedSide& side : compared.sides) {
        root["sides"].push_back({{"name", side.name},
                                 {"studies", side.sittings.size()},
                                 {"refusal", side.refusal.empty() ? Json(nullptr) : Json(side.refusal)}});
    }
    root["differences"] = Json::array();
    for (const auto& row : differencesTable(compared).rows) {
        root["differences"].push_back(
            {{"name", row.front()}, {"values", std::vector<std::string>(row.begin() + 1, row.end())}});
    }
    root["border"] = compared.border;
    root["arms"] = Json::array();
    for (const ComparedRow& row : compared.rows) {
        Json sides = Json::array();
        for (std::size_t side = 0; side < row.sides.size(); ++side) {
            sides.push_back(toJson(side, row.sides[side]));
        }
        root["arms"].push_back({{"id", row.id}, {"sides", std::move(sides)}});
    }
    root["sentences"] = comparisonSentences(compared);
    return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace mmapscope
