// Two or more studies side by side: their arms matched, and how the throughput of each changed.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "study/between_studies.h"
#include "study/study.h"

namespace mmapscope {

/// Studies of one name are sittings of one side.
struct NamedStudy {
    std::string name;
    std::shared_ptr<const Study> study;
};

struct ComparedSide {
    std::string name;
    std::vector<std::shared_ptr<const Study>> sittings;
    std::string refusal;  ///< why it can't be compared with the first side; empty: it can
};

/// One arm on one side.
struct ComparedArm {
    bool present = false;                  ///< in every sitting
    std::size_t runs = 0;                  ///< good measured ones, over the sittings
    std::optional<double> bytesPerSecond;  ///< median; geometric mean over the sittings
    /// Against the first side. Absent on that, and where `reason` says why.
    std::optional<JudgedChange> change;
    std::string reason;
};

struct ComparedRow {
    std::string id;                  ///< as the first study that has the arm calls it
    std::vector<ComparedArm> sides;  ///< one for each side
};

struct SideBySide {
    std::vector<ComparedSide> sides;
    std::vector<ComparedRow> rows;  ///< as in the first study, then arms of the others
    double border = kTieBorder;
    /// What all arms of a side changed by together (median), where at least three have figures and no more
    /// than kEnoughSittings - 1 sittings could measure it.
    std::vector<std::optional<double>> together;

    /// Whether two of the sides' arms could be compared at all.
    [[nodiscard]] bool hasChanges() const;
};

/// Error (usage): fewer than two sides.
[[nodiscard]] Result<SideBySide> compareStudies(std::span<const NamedStudy> studies,
                                                double border = kTieBorder);

/// Names for studies read from these paths, all different: the file's name, with its folder's where needed.
[[nodiscard]] std::vector<std::string> namesOfStudies(std::span<const std::string> paths);

}  // namespace mmapscope
