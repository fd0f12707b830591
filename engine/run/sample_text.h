// Samples in the text of a study file or a worker's record. They are nearly all of it, so they never become
// JSON values: columns are read straight from the text, and written straight into it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "run/sample_series.h"

namespace mmapscope {

struct FoundSamples {
    std::optional<std::size_t> run;  ///< its place in the study's `runs`; nullopt: a record by itself
    SampleSeries samples;
};

struct CutText {
    std::string rest;  ///< the text with null in the place of every `sampling.samples`
    std::vector<FoundSamples> found;
};

/// Takes every `sampling.samples` object out of JSON text. What isn't JSON is left for whoever parses the
/// rest. Error (input): a column that is none, or columns of different lengths, with the place. `consumed` is
/// told up to where the text isn't needed any more.
[[nodiscard]] Result<CutText> cutSamples(std::string_view text,
                                         const std::function<void(std::size_t)>& consumed = {});

/// Puts samples where `rest`, which this program wrote, has {} for each `sampling.samples`, in that order.
/// Columns that were available nowhere are null. Delta-coded: the first value as it is, then differences to
/// the last known one; null where not available.
[[nodiscard]] std::string putSamples(std::string_view rest, std::span<const SampleSeries* const> series);

}  // namespace mmapscope
