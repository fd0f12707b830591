// What advise() knows of the file and the machine, and the classes the rules tell apart.
#include <algorithm>

#include "probe/cpu.h"
#include "probe/huge_pages.h"
#include "source/availability.h"
#include "source/memory_limits.h"
#include "study/advisor.h"
#include "workload/workload.h"

namespace mmapscope {
namespace {

/// Of the pages of a file that is "all" cached a few may be missing.
constexpr double kAllCached = 0.99;
constexpr unsigned kFolioPlaces = 64;

Medium mediumOf(const AdviceFacts& facts) {
    switch (facts.file.storage) {
        case StorageClass::nvme:
        case StorageClass::ssd:
            return Medium::seekless;
        case StorageClass::rotational:
            return Medium::seeking;
        case StorageClass::fuse:
            return Medium::fuse;
        case StorageClass::network:
            return Medium::network;
        case StorageClass::memory:
            return Medium::memory;
        case StorageClass::virtualDisk:
        case StorageClass::unknown:
            break;
    }
    if (!facts.latency) {
        return Medium::unknown;
    }
    return facts.latency->median >= kSeek ? Medium::seeking : Medium::seekless;
}

Bytes bytesEach(const FileFacts& file) {
    return file.isFolder() ? file.bytes / file.members.size() : file.bytes;
}

Room roomOf(const AdviceFacts& facts, const Situation& situation) {
    if (!facts.memoryCap && situation.cached == Cached::whole) {
        return Room::fits;  // it is there already
    }
    if (!facts.room) {
        return Room::unknown;
    }
    // Readahead is charged beside what is used of it.
    const Bytes needed = facts.file.bytes + facts.file.readAhead.value_or(Bytes(0));
    return needed <= *facts.room ? Room::fits : Room::tooLarge;
}

void findRoom(AdviceFacts& facts) {
    const auto least = [&](const std::optional<Limit>& limit) {
        if (limit && (!facts.room || limit->bytes < *facts.room)) {
            facts.room = limit->bytes;
            facts.roomSetBy = limit->setBy;
        }
    };
    least(availableMemory());
    least(cgroupMemoryLimit());
    if (facts.memoryCap) {
        least(Limit{*facts.memoryCap, "the memory cap"});
    }
}

std::optional<bool> claimOf(const FileFacts& file) {
    std::optional<bool> rotates;
    for (const StorageLayer& layer : file.layers) {
        if (layer.rotational) {
            rotates = rotates.value_or(false) || *layer.rotational;
        }
    }
    return rotates;
}

}  // namespace

Result<AdviceFacts> adviceFacts(const std::string& path, const std::string& workload,
                                const Parameters& workloadParameters, std::optional<Bytes> memoryCap,
                                const std::stop_token& stop) {
    auto file = inspectInput(path);
    if (!file) {
        return tl::unexpected(file.error());
    }
    const WorkloadType* const type = findWorkload(workload);
    if (type == nullptr) {
        return fail(ErrorKind::usage, "no workload \"" + workload + "\"");
    }
    auto parameters = resolveFor(*type, *file, workloadParameters);
    if (!parameters) {
        return tl::unexpected(parameters.error());
    }
    const Range whole{Bytes(0), file->bytes};
    AdviceFacts facts{.file = *file,
                      .workload = workload,
                      .workloadParameters = std::move(*parameters),
                      .machine = thisMachine(),
                      .hypervisor = hypervisorName(),
                      .claimsToRotate = claimOf(*file),
                      .latency = measureReadLatency(*file, stop),
                      .residency = residencyOf(*file, whole),
                      .folios = lookAtFolios(*file, whole, kFolioPlaces),
                      .room = {},
                      .roomSetBy = {},
                      .memoryCap = memoryCap,
                      .hugePages = {},
                      .touch = {}};
    if (!facts.latency && facts.latency.error().kind == ErrorKind::cancelled) {
        return tl::unexpected(facts.latency.error());
    }
    const bool isCached = file->storage == StorageClass::memory ||
                          (facts.residency && facts.residency->fraction() >= kAllCached);
    if (isCached && !file->bytes.isZero()) {
        if (const auto touch = measureTouchCost(*file)) {
            facts.touch = *touch;
        }
    }
    findRoom(facts);
    if (const auto pool = poolOf(kHugePage)) {
        facts.hugePages = pool->available();
    }
    return facts;
}

Situation situationOf(const AdviceFacts& facts) {
    Situation s;
    s.medium = mediumOf(facts);
    s.size = facts.file.bytes.isZero()            ? SizeClass::empty
             : bytesEach(facts.file) < kSmallFile ? SizeClass::small
                                                  : SizeClass::large;
    if (s.medium == Medium::memory) {
        s.cached = Cached::whole;  // its pages are the page cache
    } else if (facts.residency) {
        s.cached = facts.residency->fraction() >= kAllCached ? Cached::whole : Cached::notWhole;
    }
    if (facts.folios) {
        s.folios = facts.folios->meanMapped > kFaultAround ? FolioClass::large : FolioClass::small;
    }
    if (facts.touch) {
        s.cheaper = facts.touch->mapped < facts.touch->copied ? Cheaper::mapping : Cheaper::copying;
    }
    s.room = roomOf(facts, s);
    const WorkloadType* const type = findWorkload(facts.workload);
    s.decodes = type != nullptr && type->producesOutput;
    s.claimRefuted = facts.file.storage == StorageClass::virtualDisk && facts.claimsToRotate == true &&
                     s.medium == Medium::seekless;
    s.poolHoldsFile =
        facts.hugePages.value_or(0) >= std::max<std::uint64_t>(1, hugePagesFor(facts.file.bytes));
    return s;
}

}  // namespace mmapscope
