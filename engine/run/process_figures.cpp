#include "run/process_figures.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>

#include <array>
#include <string_view>

#include "core/unique_fd.h"
#include "probe/fields.h"
#include "probe/task_status.h"

namespace mmapscope {
namespace {

/// Both files are far smaller than a page on any system.
using Page = std::array<char, 8192>;

std::string_view readInto(Page& page, const char* path) {
    const UniqueFd fd(::open(path, O_RDONLY | O_CLOEXEC));
    std::size_t used = 0;
    while (fd && used < page.size()) {
        const ssize_t n = ::read(fd.get(), page.data() + used, page.size() - used);
        if (n <= 0) {
            break;
        }
        used += static_cast<std::size_t>(n);
    }
    return {page.data(), used};
}

}  // namespace

MemoryFigures readMemoryFigures() {
    Page page;
    const TaskStatus status = parseTaskStatus(readInto(page, "/proc/self/status"));
    MemoryFigures figures{status.peakRss, status.rss,     status.rssAnon,
                          status.rssFile, status.hugetlb, status.pageTables};
    if (status.rssShmem && figures.anon) {
        *figures.anon += *status.rssShmem;
    }
    return figures;
}

void resetPeakRss() {
    if (const UniqueFd fd(::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)); fd) {
        // Refused: the peak stays the process' own, which is what VmHWM means anyway.
        [[maybe_unused]] const ssize_t written = ::write(fd.get(), "5", 1);
    }
}

ProcessFigures readProcessFigures() {
    ProcessFigures figures;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    figures.minorFaults = static_cast<std::uint64_t>(usage.ru_minflt);
    figures.majorFaults = static_cast<std::uint64_t>(usage.ru_majflt);
    Page page;
    figures.storageRead = parseReadBytes(readInto(page, "/proc/self/io"));
    figures.memory = readMemoryFigures();
    return figures;
}

ThreadTimes readThreadTimes() {
    ThreadTimes times;
    timespec cpu{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    times.cpu = std::chrono::seconds(cpu.tv_sec) + std::chrono::nanoseconds(cpu.tv_nsec);
    Page page;
    Fields fields(readInto(page, "/proc/thread-self/schedstat"));
    const auto onCpu = parseUnsigned(fields.next());
    const auto delay = parseUnsigned(fields.next());
    if (onCpu && delay) {
        times.runDelay = std::chrono::nanoseconds(static_cast<std::int64_t>(*delay));
    }
    return times;
}

}  // namespace mmapscope
