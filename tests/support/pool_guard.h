// Sets the number of 2 MiB huge pages for the time of a test and puts the old number back, also on failure.
#pragma once

#include <fcntl.h>
#include <sys/file.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "core/unique_fd.h"
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
        const auto before = poolOf(kHugePage);
        if (!before) {
            why_ = before.error().message;
            return;
        }
        before_ = before->total;
        changed_ = write(before->total - before->free + before->reserved + pages);
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

    UniqueFd lock_;
    std::uint64_t before_ = 0;
    bool changed_ = false;
    std::string why_;
};

}  // namespace mmapscope::test
