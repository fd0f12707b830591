#include "study/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include "core/text.h"
#include "study/arm_figures.h"
#include "study/comparable.h"
#include "study/outcome_check.h"
#include "study/ranking.h"

namespace mmapscope {
namespace {

/// One arm of one study, and what keeps it from being compared.
struct ArmOfStudy {
    std::string key, id;
    std::vector<double> walls;
    std::optional<double> bytesPerSecond;
    std::string unranked;
};

/// The same arm twice in a study (mmap, mmap#2) is told apart by its turn.
std::vector<ArmOfStudy> armsOf(const Study& study) {
    const auto outcomes = checkOutcomes(study);
    std::map<std::string, unsigned> turns;
    std::vector<ArmOfStudy> arms;
    for (std::uint32_t index = 0; index < study.arms.size(); ++index) {
        const Arm& arm = study.arms[index];
        const std::string key = armKey(arm);
        ArmOfStudy one{fmt::format("{}\n#{}", key, ++turns[key]), arm.id, goodWalls(study, index), {}, {}};
        ArmSummary summary;
        summary.arm = index;
        summary.runs = static_cast<std::uint32_t>(one.walls.size());
        summary.outcomesAgree = outcomesAgree(outcomes, index);
        one.unranked = whyUnranked(study, summary);
        for (const ArmSummary& told : study.summary) {
            if (told.arm == index && !one.walls.empty()) {
                one.bytesPerSecond = told.medianBytesPerSecond;
            }
        }
        std::erase_if(one.walls, [](double wall) { return !(wall > 0); });
        if (one.unranked.empty() && one.walls.empty()) {
            one.unranked = "its runs took no time that could be told";
        }
        arms.push_back(std::move(one));
    }
    return arms;
}

std::vector<ComparedSide> sidesOf(std::span<const NamedStudy> studies) {
    std::vector<ComparedSide> sides;
    for (const NamedStudy& named : studies) {
        const auto same = std::find_if(sides.begin(), sides.end(),
                                       [&](const ComparedSide& side) { return side.name == named.name; });
        if (same == sides.end()) {
            sides.push_back({named.name, {named.study}, {}});
        } else {
            same->sittings.push_back(named.study);
        }
    }
    const Study& first = *sides.front().sittings.front();
    for (ComparedSide& side : sides) {
        for (const auto& sitting : side.sittings) {
            if (sitting.get() == &first || !side.refusal.empty()) {
                continue;
            }
            side.refusal = whyIncomparable(first, *sitting);
        }
    }
    return sides;
}

/// An arm's sittings on one side; nullptr for one that lacks it.
using Sittings = std::vector<const ArmOfStudy*>;

struct Row {
    std::string id;
    std::vector<Sittings> sides;
};

std::vector<Row> rowsOf(const std::vector<std::vector<std::vector<ArmOfStudy>>>& arms) {
    std::vector<Row> rows;
    std::map<std::string, std::size_t> rowOfKey;
    for (std::size_t side = 0; side < arms.size(); ++side) {
        for (std::size_t sitting = 0; sitting < arms[side].size(); ++sitting) {
            for (const ArmOfStudy& arm : arms[side][sitting]) {
                const auto [found, isNew] = rowOfKey.emplace(arm.key, rows.size());
                if (isNew) {
                    Row row{arm.id, {}};
                    for (const auto& sittings : arms) {
                        row.sides.emplace_back(sittings.size(), nullptr);
                    }
                    rows.push_back(std::move(row));
                }
                rows[found->second].sides[side][sitting] = &arm;
            }
        }
    }
    return rows;
}

ComparedArm compared(const Sittings& sittings) {
    ComparedArm arm;
    arm.present = std::find(sittings.begin(), sittings.end(), nullptr) == sittings.end();
    double logRate = 0;
    bool allHaveRates = arm.present;
    for (const ArmOfStudy* one : sittings) {
        if (one == nullptr) {
            continue;
        }
        arm.runs += one->walls.size();
        allHaveRates = allHaveRates && one->bytesPerSecond && *one->bytesPerSecond > 0;
        logRate += allHaveRates ? std::log(*one->bytesPerSecond) : 0;
    }
    if (allHaveRates) {
        arm.bytesPerSecond = std::exp(logRate / static_cast<double>(sittings.size()));
    }
    return arm;
}

/// Why the arm of that side can't take part; empty when it can.
std::string reasonOf(const ComparedSide& side, const Sittings& sittings) {
    for (std::size_t sitting = 0; sitting < sittings.size(); ++sitting) {
        const std::string where =
            sittings.size() > 1 ? fmt::format("{}, study {} of {}", side.name, sitting + 1, sittings.size())
                                : side.name;
        if (sittings[sitting] == nullptr) {
            return fmt::format("not in {}", printable(where));
        }
        if (!sittings[sitting]->unranked.empty()) {
            return fmt::format("{}: {}", printable(where), sittings[sitting]->unranked);
        }
    }
    return {};
}

std::vector<SittingFigures> figuresOf(const Sittings& sittings) {
    std::vector<SittingFigures> figures;
    for (const ArmOfStudy* arm : sittings) {
        figures.push_back(sittingFigures(arm->walls));
    }
    return figures;
}

struct Place {
    std::size_t row, side;
};

/// The changes of one side's arms against the first side's, with where each belongs.
void addChanges(SideBySide& result, const std::vector<Row>& rows, std::size_t side,
                std::vector<Change>& changes, std::vector<Place>& places) {
    std::vector<std::size_t> taking;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        ComparedArm& arm = result.rows[row].sides[side];
        const std::string first = reasonOf(result.sides.front(), rows[row].sides.front());
        arm.reason = first.empty() ? reasonOf(result.sides[side], rows[row].sides[side]) : first;
        if (arm.reason.empty()) {
            taking.push_back(row);
        }
    }
    if (taking.empty()) {
        return;
    }
    const bool machineIsMeasured = result.sides.front().sittings.size() >= kEnoughSittings &&
                                   result.sides[side].sittings.size() >= kEnoughSittings;
    const double least = taking.size() == 1 && !machineIsMeasured ? kMachineSpread : kLeastSpread;
    std::vector<SideFigures> first, other;
    for (const std::size_t row : taking) {
        first.push_back(sideFigures(figuresOf(rows[row].sides.front()), least));
        other.push_back(sideFigures(figuresOf(rows[row].sides[side]), least));
        places.push_back({row, side});
    }
    const std::vector<Change> own = changesOf(first, other);
    if (own.size() >= 3 && !machineIsMeasured) {
        std::vector<double> values;
        for (const Change& change : own) {
            values.push_back(change.whole.value);
        }
        result.together[side] = std::exp(median(std::move(values)));
    }
    changes.insert(changes.end(), own.begin(), own.end());
}

}  // namespace

bool SideBySide::hasChanges() const {
    return std::any_of(rows.begin(), rows.end(), [](const ComparedRow& row) {
        return std::any_of(row.sides.begin(), row.sides.end(),
                           [](const ComparedArm& arm) { return arm.change.has_value(); });
    });
}

Result<SideBySide> compareStudies(std::span<const NamedStudy> studies, double border) {
    SideBySide result;
    result.border = border;
    if (!studies.empty()) {
        result.sides = sidesOf(studies);
    }
    if (result.sides.size() < 2) {
        return fail(ErrorKind::usage,
                    "nothing to compare with: give at least two studies that don't have the same name");
    }
    std::vector<std::vector<std::vector<ArmOfStudy>>> arms;
    for (const ComparedSide& side : result.sides) {
        arms.emplace_back();
        for (const auto& sitting : side.sittings) {
            arms.back().push_back(armsOf(*sitting));
        }
    }
    const std::vector<Row> rows = rowsOf(arms);
    for (const Row& row : rows) {
        result.rows.push_back({row.id, {}});
        for (const Sittings& sittings : row.sides) {
            result.rows.back().sides.push_back(compared(sittings));
        }
    }
    result.together.resize(result.sides.size());
    // All that is looked at together is corrected together, over the sides too.
    std::vector<Change> changes;
    std::vector<Place> places;
    for (std::size_t side = 1; side < result.sides.size(); ++side) {
        if (result.sides.front().refusal.empty() && result.sides[side].refusal.empty()) {
            addChanges(result, rows, side, changes, places);
        }
    }
    const std::vector<JudgedChange> judged = judgeChanges(changes, border);
    for (std::size_t i = 0; i < places.size(); ++i) {
        result.rows[places[i].row].sides[places[i].side].change = judged[i];
    }
    return result;
}

std::vector<std::string> namesOfStudies(std::span<const std::string> paths) {
    const auto stem = [](const std::filesystem::path& path) {
        const std::string extension = path.extension().string();
        return extension == ".json" || extension == ".mmapscope" ? path.stem().string()
                                                                 : path.filename().string();
    };
    std::vector<std::string> names;
    for (const std::string& path : paths) {
        names.push_back(stem(path));
    }
    const auto twice = [&](std::size_t at) { return std::count(names.begin(), names.end(), names[at]) > 1; };
    std::vector<std::string> longer = names;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::filesystem::path folder = std::filesystem::path(paths[i]).parent_path().filename();
        if (twice(i) && !folder.empty()) {
            longer[i] = (folder / names[i]).string();
        }
    }
    names = std::move(longer);
    std::map<std::string, unsigned> seen;
    longer = names;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const unsigned turn = ++seen[names[i]];
        while (turn > 1 &&
               (longer[i] == names[i] || std::count(longer.begin(), longer.end(), longer[i]) > 1)) {
            longer[i] = fmt::format("{} ({})", names[i], longer[i] == names[i] ? turn : ++seen[names[i]]);
        }
    }
    return longer;
}

}  // namespace mmapscope
