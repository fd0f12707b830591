#include "report/why_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace mmapscope {
namespace {

struct Unit {
    const char* name;
    double size;
};

Unit unitFor(const Study& study) {
    double least = INFINITY;
    for (const Attribution& a : study.attribution) {
        least = std::min(least, static_cast<double>(a.wall.count()));
    }
    return least < 1e6 ? Unit{"µs", 1e3} : least < 10e9 ? Unit{"ms", 1e6} : Unit{"s", 1e9};
}

std::string figure(Nanoseconds time, Unit unit) {
    const double value = static_cast<double>(time.count()) / unit.size;
    return std::abs(value) < 0.005 ? "0" : fmt::format("{:.{}f}", value, std::abs(value) < 100 ? 2 : 0);
}

const AttributedTime* partOf(const Attribution& a, std::string_view name) {
    const auto it = std::find_if(a.parts.begin(), a.parts.end(),
                                 [&](const AttributedTime& part) { return part.name == name; });
    return it == a.parts.end() ? nullptr : &*it;
}

std::vector<std::string_view> namesOf(const Study& study) {
    std::vector<std::string_view> names;
    for (const std::string_view name : {"open", "deliver", "workload", "touch", "handover", "close"}) {
        if (std::any_of(study.attribution.begin(), study.attribution.end(),
                        [&](const Attribution& a) { return partOf(a, name) != nullptr; })) {
            names.push_back(name);
        }
    }
    return names;
}

}  // namespace

SummaryTable whyTable(const Study& study) {
    SummaryTable table;
    if (study.attribution.empty()) {
        return table;
    }
    const Unit unit = unitFor(study);
    const auto names = namesOf(study);
    const bool beside = std::any_of(study.attribution.begin(), study.attribution.end(),
                                    [](const Attribution& a) { return partOf(a, "overlap") != nullptr; });
    table.columns.push_back({"arm", "", false});
    table.columns.push_back({"wall", unit.name});
    for (const std::string_view name : names) {
        table.columns.push_back({std::string(name), unit.name});
    }
    table.columns.push_back({"unexplained", unit.name});
    table.columns.push_back({"of wall", "%"});
    if (beside) {
        table.columns.push_back({"helpers beside", std::string(unit.name) + " CPU"});
    }
    for (const Attribution& a : study.attribution) {
        std::vector<std::string> row{printable(study.arms[a.arm].id), figure(a.wall, unit)};
        for (const std::string_view name : names) {
            const AttributedTime* part = partOf(a, name);
            row.push_back(part == nullptr ? kNoFigure : figure(part->time, unit));
        }
        row.push_back(figure(a.unexplained, unit));
        row.push_back(a.wall.count() <= 0
                          ? std::string(kNoFigure)
                          : fmt::format("{:+.1f}", static_cast<double>(a.unexplained.count()) /
                                                       static_cast<double>(a.wall.count()) * 100));
        if (beside) {
            const AttributedTime* part = partOf(a, "overlap");
            row.push_back(part == nullptr ? kNoFigure : figure(part->time, unit));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::vector<std::string> whySentences(const Study& study) {
    std::vector<std::string> sentences;
    for (const Attribution& a : study.attribution) {
        sentences.push_back(printable(a.sentence));
    }
    return sentences;
}

}  // namespace mmapscope
