#include "core/units.h"

#include <unistd.h>

namespace mmapscope {

Bytes pageSize() noexcept {
    static const Bytes size(static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
    return size;
}

}  // namespace mmapscope
