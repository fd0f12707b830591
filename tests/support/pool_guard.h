// Sets the number of 2 MiB huge pages for the time of a test and puts the old number back, also on failure.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "core/unique_fd.h"
#include "probe/fields.h"
#include "probe/huge_pages.h"

namespace mmapscope::test {

class PoolGuard {
  public:
    /// Reserves `pages` more than are in use. Waits for other test programs that do the same.
    explicit PoolGuard(std::uint64_t pages)
        : lock_(::open("/tmp/mmapscope-pool.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
        if (lock_) {
            (void)::flock(lock_.get(), LOCK_EX);
        }
        const auto pool = poolOf(kHugePage);
        if (!pool) {
            why_ = pool.error().message;
            return;
        }
        // A number left in the file is what a test program that was killed found before it.
        before_ = noted().value_or(pool->total);
        note(std::to_string(before_));
        changed_ = write(pool->total - pool->free + pool->reserved + pages);
        const auto after = poolOf(kHugePage);
        if (!changed_) {
            why_ = "not allowed to write /proc/sys/vm/nr_hugepages";
        } else if (!after || after->free < after->reserved + pages) {
            why_ = "the kernel could not find enough memory for huge pages";
        }
    }
    ~PoolGuard() {
        if (changed_) {
            write(before_);
        }
        note("");
    }
    PoolGuard(const PoolGuard&) = delete;
    PoolGuard& operator=(const PoolGuard&) = delete;

    [[nodiscard]] bool ready() const { return why_.empty(); }
    /// Why the pages aren't there: the text for QSKIP.
    [[nodiscard]] const std::string& why() const { return why_; }

  private:
    static bool write(std::uint64_t pages) {
        std::ofstream out("/proc/sys/vm/nr_hugepages");
        out << pages << std::flush;
        return out.good();
    }

    void note(const std::string& text) const {
        if (lock_ && ::ftruncate(lock_.get(), 0) == 0) {
            (void)!::pwrite(lock_.get(), text.data(), text.size(), 0);
        }
    }
    [[nodiscard]] std::optional<std::uint64_t> noted() const {
        char text[24];
        const ssize_t got = lock_ ? ::pread(lock_.get(), text, sizeof text, 0) : 0;
        return got > 0 ? parseUnsigned(std::string_view(text, static_cast<std::size_t>(got))) : std::nullopt;
    }

    UniqueFd lock_;
    std::uint64_t before_ = 0;
    bool changed_ = false;
    std::string why_;
};

}  // namespace mmapscope::test
