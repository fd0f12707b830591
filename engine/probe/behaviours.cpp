#include "probe/behaviours.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "core/text.h"
#include "core/unique_fd.h"
#include "probe/folios.h"
#include "probe/kernel_calls.h"

namespace mmapscope {
namespace {

constexpr std::string_view kFolios = "large folios in the page cache";
constexpr std::string_view kAround = "pages mapped around a fault";
constexpr std::string_view kCachestat = "cachestat(2)";
constexpr std::string_view kPopulate = "MADV_POPULATE_READ";

Behaviour seen(std::string_view what, std::string text, std::string_view means) {
    return {std::string(what), std::move(text), std::string(means), true};
}

Behaviour notSeen(std::string_view what, std::string why, std::string_view means) {
    return {std::string(what), std::move(why), std::string(means), false};
}

constexpr std::string_view kFoliosMean =
    "Where the filesystem makes large folios, a fault maps more at once and may map by huge entries. How "
    "large they are depends on who filled the cache, and how.";
constexpr std::string_view kAroundMean =
    "A fault on cached pages maps their neighbours too: 64 KiB by default, whole folios where they are "
    "larger.";

void addFolios(const FileFacts& file, std::vector<Behaviour>& found) {
    const auto look = lookAtFolios(file, {Bytes(0), file.bytes});
    if (!look) {
        found.push_back(notSeen(kFolios, look.error().message, kFoliosMean));
        found.push_back(notSeen(kAround, look.error().message, kAroundMean));
        return;
    }
    if (look->largestFolio) {
        const bool large = *look->largestFolio > pageSize();
        found.push_back(seen(kFolios,
                             large ? fmt::format("yes: {} (of {} places)", folioText(*look), look->places)
                                   : fmt::format("none now, in {} places of this file", look->places),
                             kFoliosMean));
    } else {
        found.push_back(notSeen(kFolios,
                                fmt::format("not available here: /proc/kpageflags needs CAP_SYS_ADMIN; one "
                                            "fault mapped up to {}",
                                            formatBytes(look->largestMapped)),
                                kFoliosMean));
    }
    found.push_back(seen(kAround,
                         fmt::format("{} on the mean, at most {}", formatBytes(look->meanMapped),
                                     formatBytes(look->largestMapped)),
                         kAroundMean));
}

void addCachestat(const FileFacts& file, std::vector<Behaviour>& found) {
    constexpr std::string_view kMeans = "Tells how much of a file is cached, and dirty, without mapping it.";
    const UniqueFd fd(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (fd && cachestatOf(fd.get(), Bytes(0), pageSize())) {
        found.push_back(seen(kCachestat, "there", kMeans));
        return;
    }
    // Another's file may be refused, and tells nothing of the call; memory of our own never is.
    const int refusal = errno;
    const UniqueFd memory(::memfd_create("mmapscope-check", MFD_CLOEXEC));
    if (memory && cachestatOf(memory.get(), Bytes(0), pageSize())) {
        found.push_back(seen(
            kCachestat, fmt::format("there, but not for this file: {}", std::strerror(refusal)), kMeans));
    } else {
        found.push_back(
            notSeen(kCachestat, fmt::format("not available here: {}", std::strerror(errno)), kMeans));
    }
}

void addPopulate(std::vector<Behaviour>& found) {
    constexpr std::string_view kMeans =
        "Fills a mapping's page table in steps that can be stopped; MAP_POPULATE can't be.";
    const std::size_t length = pageSize().size();
    void* const page = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        found.push_back(notSeen(kPopulate, "not looked at: no memory", kMeans));
        return;
    }
    if (::madvise(page, length, kMadvPopulateRead) == 0) {
        found.push_back(seen(kPopulate, "there", kMeans));
    } else {
        found.push_back(
            notSeen(kPopulate, fmt::format("not available here: {}", std::strerror(errno)), kMeans));
    }
    ::munmap(page, length);
}

}  // namespace

std::vector<Behaviour> observeBehaviours(const FileFacts& file) {
    std::vector<Behaviour> found;
    addFolios(file, found);
    addCachestat(file, found);
    addPopulate(found);
    return found;
}

std::vector<CounterFinding> lookAtCounters() {
    std::vector<CounterFinding> all;
    for (const PerfEvent& event : perfEvents()) {
        all.push_back({std::string(event.id), std::string(event.title), lookAtPerfEvent(event)});
    }
    all.push_back(
        {"perf_page_walk_cycles",
         "Page-walk cycles",
         {false, false, "perf has no general event for them, and each CPU's own is not named by the kernel",
          ""}});
    return all;
}

}  // namespace mmapscope
