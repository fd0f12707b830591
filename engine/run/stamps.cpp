#include "run/stamps.h"

#include <algorithm>

namespace mmapscope {

Bytes stampStep(Bytes range, std::size_t threads, Bytes finest) {
    const std::uint64_t share =
        std::max<std::uint64_t>(kStampsPerRun / std::max<std::size_t>(threads, 1), 16);
    return std::max(roundDown(range / share, finest), finest);
}

Stamps mergeStamps(std::span<const std::span<const Stamp>> threads, const Stamp& end) {
    struct Step {
        std::int64_t tNs;
        std::uint64_t bytes, minorFaults;  ///< what this thread added since its previous stamp
    };
    std::vector<Step> steps;
    for (const auto& stamps : threads) {
        Stamp before;
        for (const Stamp& stamp : stamps) {
            steps.push_back({stamp.tNs, stamp.bytes - before.bytes, stamp.minorFaults - before.minorFaults});
            before = stamp;
        }
    }
    std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.tNs < b.tNs; });

    Stamps merged;
    const auto add = [&merged](const Stamp& total) {
        merged.tNs.push_back(total.tNs);
        merged.bytes.push_back(total.bytes);
        merged.minorFaults.push_back(total.minorFaults);
    };
    Stamp total;
    add(total);
    for (const Step& step : steps) {
        total = {std::max(total.tNs, step.tNs), total.bytes + step.bytes,
                 total.minorFaults + step.minorFaults};
        add(total);
    }
    add({std::max(total.tNs, end.tNs), std::max(total.bytes, end.bytes),
         std::max(total.minorFaults, end.minorFaults)});
    return merged;
}

}  // namespace mmapscope
