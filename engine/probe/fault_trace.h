// Every page fault of some threads and of those they start, with its address, by perf software events.
//
// perf_event_open(2): one ring buffer a CPU, PERF_SAMPLE_ADDR, times of CLOCK_MONOTONIC. What was mapped
// where comes from the same stream (PERF_RECORD_MMAP2), so that an address can be told from an earlier
// mapping of the same place. Faults taken on behalf of the thread by MAP_POPULATE are not events.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/result.h"
#include "probe/file_facts.h"

namespace mmapscope {

/// One fault; times are CLOCK_MONOTONIC (std::chrono::steady_clock here).
struct TracedFault {
    std::int64_t tNs = 0;
    std::uint64_t address = 0;
    std::uint32_t thread = 0;  ///< thread id
    bool major = false;
};

/// A file whose mappings are to be recognised.
struct TracedFile {
    std::string path;
    dev_t device = 0;
    ino_t inode = 0;
    Bytes begin;  ///< its first byte in a folder taken as one file
};
/// The file, or a folder's members.
[[nodiscard]] std::vector<TracedFile> tracedFiles(const std::string& path, const FileStamp& stamp,
                                                  const std::vector<FileMember>& members);

struct TracedFaults {
    static constexpr std::uint64_t kElsewhere = UINT64_MAX;

    std::vector<TracedFault> faults;     ///< by time
    std::vector<std::uint64_t> offsets;  ///< in the file, of the page; kElsewhere: not in a mapping of it
    std::uint64_t lost = 0;              ///< events the kernel had no room for, or past kMostFaults
    bool userOnly = false;               ///< faults inside system calls are not shown
    std::chrono::nanoseconds cpu{0};     ///< what taking the events out of the buffers took
};

class FaultTracer {
  public:
    /// More are counted as lost.
    static constexpr std::size_t kMostFaults = 2'000'000;

    /// `ringPages`: data pages of each CPU's buffer, a power of two; less where less memory may be locked.
    explicit FaultTracer(std::size_t ringPages = 1024);
    ~FaultTracer();
    FaultTracer(const FaultTracer&) = delete;
    FaultTracer& operator=(const FaultTracer&) = delete;

    /// On each thread to be traced, one after the other, before start(). Error: unavailable, with the reason
    /// and what would unlock it.
    [[nodiscard]] Status attach();
    /// Begins to trace, and to take the events out of the buffers on a thread of its own.
    void start();
    /// Ends and sorts out which faults were of `files`. To be called once the traced threads have ended.
    [[nodiscard]] TracedFaults stop(const std::vector<TracedFile>& files);

  private:
    struct Ring;
    struct Map;
    struct State;

    void drain();

    std::unique_ptr<State> state_;
};

}  // namespace mmapscope
