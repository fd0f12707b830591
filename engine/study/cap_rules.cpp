#include "study/cap_rules.h"

#include <fmt/format.h>

#include "core/text.h"
#include "run/memory_cap.h"
#include "study/preselection.h"

namespace mmapscope {

Status checkMemoryCap(const StudyRequest& request) {
    if (!request.memoryCap) {
        return {};
    }
    if (*request.memoryCap < kSmallestCap) {
        return fail(ErrorKind::usage,
                    fmt::format("a memory cap of {} is too small: at least {} are needed",
                                formatBytes(*request.memoryCap), formatBytes(kSmallestCap)));
    }
    if (const Bytes memory = thisMachine().memory; *request.memoryCap >= memory && !memory.isZero()) {
        return fail(ErrorKind::usage,
                    fmt::format("a memory cap of {} is none on a machine with {}: choose less",
                                formatBytes(*request.memoryCap), formatBytes(memory)));
    }
    if (request.isolation != Isolation::worker) {
        return fail(ErrorKind::usage, "a memory cap needs a worker of its own: leave in-process out");
    }
    if (request.cache != CacheState::warm && request.cache != CacheState::cold) {
        return fail(
            ErrorKind::usage,
            fmt::format("a memory cap with cache state {} would be a fiction: pages that were cached "
                        "outside it aren't charged to it; choose warm (warmed by a run under the cap) "
                        "or cold",
                        name(request.cache)));
    }
    return findCapPlace().map([](const CapPlace&) {});
}

Availability underMemoryCap(const std::optional<Bytes>& cap, const Arm& arm, Range range) {
    const SourceType* const type = findSource(arm.source);
    if (!cap || type == nullptr) {
        return Availability::yes();
    }
    if (type->traits.usesHugePages) {
        return Availability::no(
            "not available under a memory cap: huge pages of the pool aren't charged to it",
            "run it without --memory-cap");
    }
    if ((type->traits.holdsWhole || type->traits.populatesWhole || type->traits.ceiling) &&
        range.length() > *cap) {
        return Availability::no(fmt::format("it needs all {} in memory at once, and the memory cap is {}",
                                            formatBytes(range.length()), formatBytes(*cap)));
    }
    return Availability::yes();
}

}  // namespace mmapscope
