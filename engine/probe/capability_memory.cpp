#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/text.h"
#include "core/unique_fd.h"
#include "probe/capability_checks.h"
#include "probe/fields.h"
#include "probe/huge_pages.h"
#include "probe/kernel_calls.h"
#include "probe/thp.h"

namespace mmapscope {
namespace {

constexpr std::string_view kThp = "/sys/kernel/mm/transparent_hugepage/";

std::string sizeId(Bytes size) {
    const std::string text = formatBytesExact(size);
    std::string id = "hugetlb-";
    for (const char c : text) {
        id += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    return id;
}

void addPools(std::vector<Capability>& found) {
    const auto pools = allPools();
    bool hasUsual = false;
    for (const PoolFacts& pool : pools) {
        hasUsual = hasUsual || pool.size == kHugePage;
        const std::string title = fmt::format("Huge pages of {}", formatBytes(pool.size));
        std::string detail = fmt::format("{} of {} free", pool.free, pool.total);
        if (pool.reserved != 0 || pool.surplus != 0 || pool.overcommit != 0) {
            detail += fmt::format(", {} promised, {} surplus, up to {} by overcommit", pool.reserved,
                                  pool.surplus, pool.overcommit);
        }
        if (pool.available() > 0) {
            found.push_back(yes(sizeId(pool.size), title, std::move(detail)));
        } else {
            const std::uint64_t asked = pool.size == kHugePage ? 128 : 1;
            found.push_back(no(sizeId(pool.size), title, std::move(detail), reserveCommand(pool, asked)));
        }
    }
    if (!hasUsual) {
        found.push_back(no("hugetlb-2mib", "Huge pages of 2 MiB", "this kernel has no pool of 2 MiB pages"));
    }
}

void addThpSizes(std::vector<Capability>& found) {
    constexpr std::string_view kTitle = "Transparent huge pages of several sizes";
    const auto sizes = readThpSettings().sizes;
    if (sizes.empty()) {
        found.push_back(no("thp-sizes", kTitle, "this kernel has one size (several since Linux 6.8)"));
        return;
    }
    std::string detail;
    for (const ThpSize& size : sizes) {
        detail += fmt::format("{}{} {}", detail.empty() ? "" : ", ", formatBytes(size.size),
                              size.enabled.value_or("not for anonymous memory"));
    }
    found.push_back(yes("thp-sizes", kTitle, std::move(detail)));
}

void addThp(std::vector<Capability>& found) {
    const auto add = [&found](std::string_view id, std::string_view title, std::string_view file,
                              std::initializer_list<std::string_view> off, std::string_view on) {
        const std::string path = std::string(kThp) + std::string(file);
        const auto text = readKernelText(path);
        const auto choice = text ? bracketedChoice(*text) : std::nullopt;
        if (!choice) {
            found.push_back(
                no(id, title, text ? fmt::format("{} names no choice", path) : text.error().message));
            return;
        }
        std::string detail = fmt::format("{} is {}", file, *choice);
        if (file == "enabled") {
            const auto defrag = readKernelText(std::string(kThp) + "defrag");
            detail += fmt::format(", defrag is {}",
                                  defrag ? bracketedChoice(*defrag).value_or("not told") : "not told");
        }
        for (const std::string_view word : off) {
            if (*choice == word) {
                found.push_back(
                    no(id, title, std::move(detail), fmt::format("echo {} | sudo tee {}", on, path)));
                return;
            }
        }
        found.push_back(yes(id, title, std::move(detail)));
    };
    add("thp", "Transparent huge pages", "enabled", {"never"}, "madvise");
    add("thp-shmem", "Transparent huge pages for shared memory", "shmem_enabled", {"never", "deny"},
        "advise");
}

void addAdvice(std::vector<Capability>& found, int advice, std::string_view id, std::string_view title,
               std::string_view since) {
    // A known advice over no bytes does nothing and succeeds; an unknown one is EINVAL first (madvise(2)).
    void* const page = ::mmap(nullptr, pageSize().size(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        found.push_back(no(id, title, fmt::format("mmap: {}", std::strerror(errno))));
        return;
    }
    const int result = ::madvise(page, 0, advice);
    const int error = errno;
    ::munmap(page, pageSize().size());
    if (result == 0) {
        found.push_back(yes(id, title, "this kernel knows it; a filesystem may still refuse it"));
    } else {
        found.push_back(no(id, title, std::strerror(error), fmt::format("needs Linux {} or later", since)));
    }
}

void addCachestat(std::vector<Capability>& found) {
    constexpr std::string_view kId = "cachestat";
    constexpr std::string_view kTitle = "Residency by cachestat";
    const UniqueFd memory(::memfd_create("mmapscope-check", MFD_CLOEXEC));
    const auto state = memory ? cachestatOf(memory.get(), Bytes(0), pageSize()) : std::nullopt;
    const int error = errno;
    if (state) {
        found.push_back(yes(kId, kTitle, "counts cached and dirty pages without mapping the file"));
    } else {
        found.push_back(
            no(kId, kTitle,
               fmt::format("{}; mincore is used instead, which can't tell dirty pages", std::strerror(error)),
               error == ENOSYS ? "needs Linux 6.5 or later" : ""));
    }
}

void addPagemap(std::vector<Capability>& found) {
    constexpr std::string_view kId = "pagemap";
    constexpr std::string_view kTitle = "Page frames by pagemap";
    const UniqueFd fd(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
    volatile char here = 1;  // a page that is certainly present
    std::uint64_t entry = 0;
    const std::uint64_t page = reinterpret_cast<std::uintptr_t>(&here) / pageSize().count();
    if (!fd ||
        ::pread(fd.get(), &entry, sizeof entry, static_cast<off_t>(page * sizeof entry)) != sizeof entry) {
        found.push_back(no(kId, kTitle, fmt::format("/proc/self/pagemap: {}", std::strerror(errno))));
        return;
    }
    constexpr std::uint64_t kFrame = (std::uint64_t{1} << 55U) - 1;  // bits 0-54, 0 without CAP_SYS_ADMIN
    if ((entry & kFrame) == 0) {
        found.push_back(no(kId, kTitle,
                           "present pages are told, frame numbers are hidden without CAP_SYS_ADMIN",
                           "run as root"));
    } else {
        found.push_back(yes(kId, kTitle, "frame numbers are shown, so folio sizes can be observed"));
    }
}

struct DamonWorkers {
    std::string evicting;  ///< directory of one that runs with a scheme paging memory out; empty: none seen
    bool allSeen = true;
};

DamonWorkers damonWorkers(const std::string& workers) {
    namespace fs = std::filesystem;
    DamonWorkers found;
    std::error_code error;
    for (const auto& worker : fs::directory_iterator(workers, error)) {
        const fs::path stateFile = worker.path() / "state";
        const auto state = readKernelText(stateFile.string());
        if (!state) {
            // Beside the workers' directories there are plain files.
            found.allSeen = found.allSeen && !fs::exists(stateFile, error);
            continue;
        }
        if (trimmed(*state) != "on") {
            continue;
        }
        for (const auto& context : fs::directory_iterator(worker.path() / "contexts", error)) {
            for (const auto& scheme : fs::directory_iterator(context.path() / "schemes", error)) {
                const auto action = readKernelText((scheme.path() / "action").string());
                if (action && trimmed(*action) == "pageout") {
                    found.evicting = worker.path().string();
                    return found;
                }
            }
        }
    }
    return found;
}

void addBackgroundReclaim(std::vector<Capability>& found) {
    constexpr std::string_view kId = "steady-cache";
    constexpr std::string_view kTitle = "Cache left alone without memory pressure";
    const std::string path = "/sys/module/damon_reclaim/parameters/enabled";
    const auto module = readKernelText(path);
    if (module && trimmed(*module) == "Y") {
        found.push_back(no(kId, kTitle, "DAMON_RECLAIM is on: it evicts cold pages at any time",
                           fmt::format("echo N | sudo tee {}", path)));
        return;
    }
    const DamonWorkers workers = damonWorkers("/sys/kernel/mm/damon/admin/kdamonds");
    if (!workers.evicting.empty()) {
        found.push_back(no(kId, kTitle,
                           "a DAMON worker runs with a pageout scheme: it evicts idle pages at any time",
                           fmt::format("echo off | sudo tee {}/state", workers.evicting)));
        return;
    }
    if (!workers.allSeen) {
        found.push_back(no(kId, kTitle,
                           "can't be told: there is a DAMON worker, and only root may see what it does",
                           "run as root"));
        return;
    }
    found.push_back(yes(kId, kTitle, "no DAMON worker evicts pages"));
}

}  // namespace

void addMemoryCapabilities(std::vector<Capability>& found) {
    addPools(found);
    addThp(found);
    addThpSizes(found);
    addAdvice(found, kMadvPopulateRead, "madv-populate-read", "Populating by MADV_POPULATE_READ", "5.14");
    addAdvice(found, kMadvCollapse, "madv-collapse", "Collapsing by MADV_COLLAPSE", "6.1");
    addCachestat(found);
    addPagemap(found);
    addBackgroundReclaim(found);
}

}  // namespace mmapscope
