#include "study/observed_mapping.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <type_traits>

#include "core/text.h"
#include "source/source.h"

namespace mmapscope {
namespace {

/// What is known of the three; nullopt when none is.
template <class Value>
std::optional<Bytes> hugeOf(const Value& anon, const Value& file, const Value& shmem) {
    const auto known = [](const auto& one) {
        if constexpr (std::is_same_v<Value, std::uint64_t>) {
            return one == kNotAvailable ? std::nullopt : std::optional(Bytes(one));
        } else {
            return one;
        }
    };
    std::optional<Bytes> sum;
    for (const auto& one : {known(anon), known(file), known(shmem)}) {
        if (one) {
            sum = sum.value_or(Bytes(0)) + *one;
        }
    }
    return sum;
}

std::optional<HugeBacked> backed(std::optional<Bytes> huge, std::optional<Bytes> rss, bool oneMoment) {
    // Largest figures of different moments can add up to more than there ever was: that says nothing.
    if (!huge || !rss || rss->isZero() || *huge > *rss) {
        return std::nullopt;
    }
    return HugeBacked{*huge, *rss, oneMoment};
}

bool mapsFile(const Arm& arm) {
    const SourceType* const type = findSource(arm.source);
    return type != nullptr && type->traits.mapsFile;
}

/// ", on Linux 6.1.0": a study can be of another machine.
std::string elsewhere(const Study& study) {
    utsname here{};
    ::uname(&here);
    return study.environment.kernel.empty() || study.environment.kernel == here.release
               ? std::string()
               : fmt::format(", on Linux {}", printable(study.environment.kernel));
}

Behaviour behaviour(std::string seen, bool looked) {
    return {
        "page cache mapped by huge entries", std::move(seen),
        "One entry of 2 MiB instead of 512 small ones: fewer faults and less of the TLB. It needs folios of "
        "that size in the page cache, and a mapping aligned like the file; THPeligible doesn't tell it.",
        looked};
}

}  // namespace

std::optional<HugeBacked> hugeBackedIn(const Sample& sample) {
    if (sample.mappedRss == kNotAvailable) {
        return std::nullopt;
    }
    return backed(hugeOf(sample.anonHuge, sample.filePmdMapped, sample.shmemPmdMapped),
                  Bytes(sample.mappedRss), true);
}

std::optional<HugeBacked> hugeBackedIn(const RunRecord& inspection) {
    std::optional<HugeBacked> best;
    for (const Sample& sample : inspection.sampling.samples) {
        if (const auto one = hugeBackedIn(sample); one && (!best || best->rss < one->rss)) {
            best = one;
        }
    }
    if (best || !inspection.mapping) {
        return best;
    }
    const MappingFacts& m = *inspection.mapping;
    return backed(hugeOf(m.anonHuge, m.filePmdMapped, m.shmemPmdMapped), m.rss, false);
}

Behaviour pageCacheByHugeEntries() {
    return behaviour("not looked at yet: an inspection run of an arm that maps the file tells", false);
}

Behaviour pageCacheByHugeEntries(const Study& study) {
    unsigned looked = 0;
    bool hidden = false;
    Bytes most;
    const Arm* by = nullptr;
    std::optional<Bytes> rss;
    for (const RunRecord& run : study.runs) {
        if (run.phase != Phase::inspection || run.status != RunStatus::ok || !run.mapping ||
            run.arm >= study.arms.size()) {
            continue;
        }
        // That there is none says something only where a file was mapped.
        const bool maps = mapsFile(study.arms[run.arm]);
        if (!run.mapping->filePmdMapped) {
            hidden = hidden || maps;
            continue;
        }
        looked += maps ? 1 : 0;
        if (most < *run.mapping->filePmdMapped) {
            most = *run.mapping->filePmdMapped;
            by = &study.arms[run.arm];
            rss = run.mapping->rss;
        }
    }
    const std::string where = elsewhere(study);
    if (by != nullptr) {
        const std::string of = rss ? fmt::format(" of {}", formatBytes(*rss)) : std::string();
        return behaviour(
            fmt::format("yes: {}{} in the inspection run of {}{}", formatBytes(most), of, by->id, where),
            true);
    }
    if (looked != 0) {
        return behaviour(
            fmt::format("no: not in the inspection run{} of {} that map{} the file", looked == 1 ? "" : "s",
                        looked == 1 ? std::string("the arm") : fmt::format("{} arms", looked),
                        looked == 1 ? "s" : "") +
                where,
            true);
    }
    if (hidden) {
        return behaviour("not available here: smaps of this kernel has no FilePmdMapped", false);
    }
    return pageCacheByHugeEntries();
}

}  // namespace mmapscope
