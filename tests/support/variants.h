// Texts for parseParameters that make a source or workload take another path, from its own description.
#pragma once

#include <string>
#include <vector>

#include "core/parameters.h"

namespace mmapscope::test {

/// "" and, for each choice and flag, every value but the default.
inline std::vector<std::string> choicesOf(const std::vector<ParameterSpec>& specs) {
    std::vector<std::string> variants = {""};
    for (const auto& spec : specs) {
        const std::string name(spec.name);
        if (spec.kind == ParameterKind::choice) {
            for (const auto choice : spec.choices) {
                if (choice != spec.defaultValue) {
                    variants.push_back(name + "=" + std::string(choice));
                }
            }
        } else if (spec.kind == ParameterKind::flag) {
            variants.push_back(name + (spec.defaultValue == "yes" ? "=no" : "=yes"));
        }
    }
    return variants;
}

/// Those, and each number at its least.
inline std::vector<std::string> variantsOf(const std::vector<ParameterSpec>& specs) {
    std::vector<std::string> variants = choicesOf(specs);
    for (const auto& spec : specs) {
        if (spec.kind == ParameterKind::bytes || spec.kind == ParameterKind::integer) {
            variants.push_back(std::string(spec.name) + "=" + std::to_string(spec.least.count()));
        }
    }
    return variants;
}

}  // namespace mmapscope::test
