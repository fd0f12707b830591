// Whether all arms computed the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/study.h"

namespace mmapscope {

/// One key of the outcomes, over every run of one workload that has it.
struct OutcomeKey {
    std::string workload;
    std::string key;
    /// Each different value as text, with the arms (indices) whose runs gave it; one entry when all agree.
    struct Seen {
        std::string value;
        std::vector<std::uint32_t> arms;
    };
    std::vector<Seen> seen;

    [[nodiscard]] bool agrees() const { return seen.size() == 1; }
};

/// In the order in which the keys first appear. Only runs that are ok have outcomes that count.
[[nodiscard]] std::vector<OutcomeKey> checkOutcomes(const Study& study);

/// Whether the values of every key this arm has are the same in all runs that have the key. Where arms
/// differ, nothing tells which of them is right: all that share the key disagree.
[[nodiscard]] std::optional<bool> outcomesAgree(const std::vector<OutcomeKey>& keys, std::uint32_t arm);

/// How many runs have an outcome that counts, and of how many arms: what a check of them is worth.
struct OutcomeReach {
    std::size_t runs = 0;
    std::size_t arms = 0;
};
[[nodiscard]] OutcomeReach outcomeReach(const Study& study);

/// "bytes_out: read 100, mmap 101"
[[nodiscard]] std::string describeDifference(const OutcomeKey& key, const Study& study);

/// A value for people: numbers and text as they are, nested ones as {price=1.5, size=3}.
[[nodiscard]] std::string outcomeText(const Outcome::Value& value);

/// "12,345"
[[nodiscard]] std::string groupedText(std::uint64_t count);

}  // namespace mmapscope
