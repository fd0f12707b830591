#include "run/process_figures.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <array>
#include <charconv>

#include "core/unique_fd.h"

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

/// The number after "key:" at a line's start.
std::optional<std::uint64_t> numberOf(std::string_view text, std::string_view key) {
    for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
        const std::size_t end = at + key.size();
        if ((at != 0 && text[at - 1] != '\n') || end >= text.size() || text[end] != ':') {
            continue;
        }
        const std::size_t digits = text.find_first_not_of(" \t", end + 1);
        std::uint64_t number = 0;
        if (digits != std::string_view::npos &&
            std::from_chars(text.data() + digits, text.data() + text.size(), number).ec == std::errc()) {
            return number;
        }
        return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

std::optional<Bytes> statusFigure(std::string_view status, std::string_view key) {
    const auto number = numberOf(status, key);
    return number ? std::optional(kib(*number)) : std::nullopt;
}

MemoryFigures readMemoryFigures() {
    Page page;
    const std::string_view status = readInto(page, "/proc/self/status");
    MemoryFigures figures;
    figures.peakRss = statusFigure(status, "VmHWM");
    figures.rss = statusFigure(status, "VmRSS");
    figures.anon = statusFigure(status, "RssAnon");
    figures.file = statusFigure(status, "RssFile");
    figures.hugetlb = statusFigure(status, "HugetlbPages");
    if (const auto shmem = statusFigure(status, "RssShmem"); shmem && figures.anon) {
        *figures.anon += *shmem;
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
    if (const auto bytes = numberOf(readInto(page, "/proc/self/io"), "read_bytes")) {
        figures.storageRead = Bytes(*bytes);
    }
    figures.memory = readMemoryFigures();
    return figures;
}

}  // namespace mmapscope
