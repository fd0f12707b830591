#include "report/fault_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text.h"
#include "study/fault_pattern.h"

namespace mmapscope {
namespace {

constexpr std::size_t kMostStrides = 5;

std::string strideText(const FaultPattern::Stride& stride) {
    const auto distance = static_cast<std::uint64_t>(stride.bytes < 0 ? -stride.bytes : stride.bytes);
    return fmt::format("{}{} ×{}", stride.bytes < 0 ? "−" : "", formatBytes(Bytes(distance)), stride.count);
}

std::string stridesLine(const FaultPattern& pattern) {
    std::vector<std::string> texts;
    for (const auto& stride : pattern.strides) {
        if (texts.size() == kMostStrides) {
            break;
        }
        texts.push_back(strideText(stride));
    }
    std::string line = fmt::format("  from one to the next: {}", fmt::join(texts, ", "));
    if (pattern.strides.size() > kMostStrides) {
        line += fmt::format(" and {} rarer distances", pattern.strides.size() - kMostStrides);
    }
    return line;
}

}  // namespace

std::vector<std::string> faultLines(const Study& study) {
    std::vector<std::string> lines;
    for (std::uint32_t arm = 0; arm < study.arms.size(); ++arm) {
        const RunRecord* const run = tracedRun(study, arm);
        if (run == nullptr) {
            continue;
        }
        const FaultPattern pattern =
            faultPattern(*run->faultTrace, study.plan.limit.value_or(study.plan.fileBytes));
        lines.push_back(printable(faultSentence(study.arms[arm].id, pattern)));
        if (!pattern.strides.empty()) {
            lines.push_back(stridesLine(pattern));
        }
        if (const auto cost = traceCost(study, arm)) {
            lines.push_back(fmt::format("  the traced and inspected run took {}, an untraced one {}",
                                        formatDuration(cost->traced), formatDuration(cost->untraced)));
        }
    }
    return lines;
}

std::vector<std::string> faultSentences(const Study& study) {
    std::vector<std::string> sentences;
    for (const std::string& line : faultLines(study)) {
        if (line.starts_with("  ") && !sentences.empty()) {
            sentences.back() += "; " + line.substr(2);
        } else {
            sentences.push_back(line);
        }
    }
    return sentences;
}

}  // namespace mmapscope
