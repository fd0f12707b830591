#include "probe/capability_checks.h"

namespace mmapscope {

Capability yes(std::string_view id, std::string_view title, std::string detail) {
    return {std::string(id), std::string(title), true, std::move(detail), {}};
}

Capability no(std::string_view id, std::string_view title, std::string reason, std::string unlock) {
    return {std::string(id), std::string(title), false, std::move(reason), std::move(unlock)};
}

std::vector<Capability> capabilities() {
    std::vector<Capability> found;
    addMemoryCapabilities(found);
    addKernelInterfaceCapabilities(found);
    addMachineCapabilities(found);
    return found;
}

}  // namespace mmapscope
