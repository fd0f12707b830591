#include "run/inspection.h"

#include <algorithm>

namespace mmapscope {
namespace {

template <class T>
void raise(std::optional<T>& peak, const std::optional<T>& seen) {
    if (seen && (!peak || *peak < *seen)) {
        peak = seen;
    }
}

}  // namespace

void Inspection::look() {
    const MemoryFigures now = readMemoryFigures();
    raise(memory_.anon, now.anon);
    raise(memory_.file, now.file);
    raise(memory_.hugetlb, now.hugetlb);

    const std::size_t count = liveMappings(live_);
    for (std::size_t i = 0; i < count; ++i) {
        ranges_[i] = {live_[i].begin, live_[i].end};
    }
    const auto seen = smaps_.sum({ranges_.data(), count});
    if (!seen) {
        return;
    }
    MappingFacts& facts = mapping_ ? *mapping_ : mapping_.emplace();
    raise(facts.thpEligible, seen->thpEligible);
    raise(facts.kernelPage, seen->kernelPage);
    raise(facts.mmuPage, seen->mmuPage);
    raise(facts.anonHuge, seen->anonHuge);
    raise(facts.filePmdMapped, seen->filePmdMapped);
    raise(facts.shmemPmdMapped, seen->shmemPmdMapped);
    raise(facts.hugetlb, seen->hugetlb());
    raise(facts.pageTables, now.pageTables);
    raise(facts.size, seen->size);
    raise(facts.rss, seen->rss);
    raise(facts.privateHugetlb, seen->privateHugetlb);
    raise(facts.sharedHugetlb, seen->sharedHugetlb);
    raise(facts.locked, seen->locked);
    if (seen->vmFlags) {
        facts.vmFlags = facts.vmFlags.value_or(0) | *seen->vmFlags;
    }
}

std::optional<MappingFacts> Inspection::mapping() const {
    return mapping_;
}

}  // namespace mmapscope
