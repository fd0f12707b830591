#include "workload/even_split.h"

#include "core/wide.h"

namespace mmapscope {

std::vector<Range> splitEvenly(Bytes limit, unsigned threads, Bytes unit) {
    const std::uint64_t units = limit / unit + ((limit % unit).isZero() ? 0 : 1);
    std::vector<Range> ranges;
    ranges.reserve(threads);
    Bytes begin;
    for (unsigned i = 1; i <= threads; ++i) {
        const auto upTo = static_cast<std::uint64_t>(static_cast<Uint128>(units) * i / threads);
        // The last unit may be short.
        const Bytes end = upTo == units ? limit : unit * upTo;
        ranges.push_back({begin, end});
        begin = end;
    }
    return ranges;
}

}  // namespace mmapscope
