// The same work without the engine around it: plain loops of system calls, and loops over a buffer.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/goals_elapsed.h"
#include "core/result.h"
#include "corpus/corpus.h"
#include "workload/tick_scanner.h"

namespace mmapscope::bench {

/// Opens the file, goes through it, closes it, and says how long that took.
struct BareLoop {
    std::string_view name;
    Result<Elapsed> (*run)(const std::string& path, Bytes size);
};
/// nullptr when there is none of that name.
[[nodiscard]] const BareLoop* findBareLoop(std::string_view name);

/// A corpus of tick rows in memory.
class TickBuffer {
  public:
    /// Error: usage, cancelled, unavailable (no memory for it).
    [[nodiscard]] static Result<TickBuffer> make(const CorpusRequest& request, const std::stop_token& stop);

    [[nodiscard]] Bytes size() const noexcept { return size_; }
    /// One pass of a plain loop. Error: usage, when there is none of that name.
    [[nodiscard]] Result<Elapsed> pass(std::string_view loop) const;
    /// Error: unavailable, when there is no such scanner or it isn't supported; failed, when it rejects rows
    /// or doesn't count as many as there are.
    [[nodiscard]] Result<Elapsed> scan(std::string_view scanner) const;

  private:
    TickBuffer() = default;
    std::unique_ptr<char[]> data_;
    Bytes size_;
    TickPlan plan_;
};

}  // namespace mmapscope::bench
