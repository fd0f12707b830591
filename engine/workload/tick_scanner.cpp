#include "workload/tick_scanner.h"

#include <fmt/format.h>

#include <algorithm>

namespace mmapscope {

#if defined(__x86_64__)
extern const TickScanner avx512TickScanner;
extern const TickScanner avx2TickScanner;
#endif
extern const TickScanner portableTickScanner;

const std::vector<const TickScanner*>& tickScanners() {
    static const std::vector<const TickScanner*> all {
#if defined(__x86_64__)
        &avx512TickScanner, &avx2TickScanner,
#endif
            &portableTickScanner
    };
    return all;
}

const TickScanner& bestTickScanner(const TickPlan& plan) {
    for (const TickScanner* scanner : tickScanners()) {
        if (scanner->supported(plan)) {
            return *scanner;
        }
    }
    return portableTickScanner;
}

const ParameterSpec& tickScannerSpec() {
    static const ParameterSpec spec{
        .name = "scanner",
        .kind = ParameterKind::choice,
        .defaultValue = "auto",
        .help =
            "What reads the rows: avx512 and avx2 use these vectors of the CPU, portable what every CPU has; "
            "auto is the fastest that this CPU and the columns allow. All give the same.",
        .choices = {"auto", "avx512", "avx2", "portable"}};
    return spec;
}

Result<const TickScanner*> chosenTickScanner(const Parameters& parameters, const TickPlan& plan) {
    const auto given = parameters.find("scanner");
    if (given == parameters.end() || given->second == "auto") {
        return &bestTickScanner(plan);
    }
    const auto& all = tickScanners();
    const auto it =
        std::find_if(all.begin(), all.end(), [&](const TickScanner* s) { return s->name == given->second; });
    if (it == all.end()) {
        return fail(ErrorKind::unavailable,
                    fmt::format("scanner={} is made for x86-64 alone: choose scanner=auto", given->second));
    }
    if (!(*it)->runsHere()) {
        return fail(ErrorKind::unavailable, fmt::format("scanner={} needs a CPU with {}: choose scanner=auto",
                                                        given->second, (*it)->needs));
    }
    if (!(*it)->takes(plan)) {
        return fail(
            ErrorKind::unavailable,
            fmt::format("scanner={} can't take these columns (at most {} numbers, {} flags and one side, "
                        "fewer between texts, and something to convert): choose scanner=auto",
                        given->second, TickLayout::kMostCells, TickLayout::kMostWords));
    }
    return *it;
}

}  // namespace mmapscope
