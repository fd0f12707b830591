// What an inspection run sees of the arm's memory while it is still mapped.
#pragma once

#include <optional>
#include <vector>

#include "probe/smaps.h"
#include "run/process_figures.h"
#include "run/run_record.h"
#include "source/guarded_mapping.h"

namespace mmapscope {

/// Remembers the largest of what each look finds. Looks may cost milliseconds: never in a measured run.
class Inspection {
  public:
    void look();

    /// nullopt when no look met a mapping of the arm: its bytes went through the heap.
    [[nodiscard]] std::optional<MappingFacts> mapping() const;
    [[nodiscard]] const MemoryFigures& memory() const { return memory_; }

  private:
    SmapsReader smaps_;
    // Not within the object, which lies on a stack that may be small (ulimit -s).
    std::vector<MappedRange> live_ = std::vector<MappedRange>(1024);
    std::vector<AddressRange> ranges_ = std::vector<AddressRange>(1024);
    std::optional<MappingFacts> mapping_;
    MemoryFigures memory_;
};

}  // namespace mmapscope
