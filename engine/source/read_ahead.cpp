#include "source/read_ahead.h"

#include <algorithm>

#include "probe/file_facts.h"

namespace mmapscope {

Bytes readAheadOf(const std::string& path) {
    const auto facts = inspectFile(path);
    const Bytes told = facts ? facts->readAhead.value_or(Bytes(0)) : Bytes(0);
    return roundUp(told.isZero() ? kDefaultReadAhead : told, pageSize());
}

}  // namespace mmapscope
