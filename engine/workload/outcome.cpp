#include <algorithm>

#include "workload/workload.h"

namespace mmapscope {

const Outcome::Value* Outcome::find(std::string_view key) const {
    const auto it =
        std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.first == key; });
    return it == fields.end() ? nullptr : &it->second;
}

bool operator==(const Outcome& a, const Outcome& b) {
    return a.fields == b.fields;
}

}  // namespace mmapscope
