// then=ticks: decoded bytes go straight into the tick parser. Frames may begin in the middle of a row, so
// what the parts of a run don't hold whole is put together again at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "workload/tick_scanner.h"
#include "workload/workload.h"

namespace mmapscope {

/// One instance of the decoder's tick parser.
class ZstdTicks {
  public:
    /// `parameters`: schema, header and columns as resolveTicks leaves them. Error: that of the ticks
    /// workload.
    [[nodiscard]] static Result<std::unique_ptr<ZstdTicks>> make(const Parameters& parameters,
                                                                 const WorkloadInput& input);

    /// Error: cancelled.
    [[nodiscard]] Status consume(std::span<const std::byte> decoded);
    [[nodiscard]] Status finish();

    /// The outcome of the ticks workload over all that the parts decoded; offsets are those of decoded bytes.
    [[nodiscard]] static Result<Outcome> merged(std::span<const ZstdTicks* const> parts);

  private:
    /// Nothing longer is a row, so no more than this is kept of one that a part doesn't hold whole.
    static constexpr std::size_t kKept = kMaxTickRow + 1;

    ZstdTicks(Parameters parameters, const WorkloadInput& input, Bytes place, std::unique_ptr<Workload> rows)
        : parameters_(std::move(parameters)),
          place_(place),
          rows_(std::move(rows)),
          inHead_(!input.range.begin.isZero()) {}

    /// Rows in the middle of a part.
    [[nodiscard]] Status middle(std::span<const std::byte> decoded);
    [[nodiscard]] static Result<std::unique_ptr<Workload>> makeRows(const Parameters& parameters, Bytes begin,
                                                                    std::stop_token stop);

    Parameters parameters_;
    /// Where this part's first decoded byte is taken to lie until all parts are done and it is known: above
    /// every place an earlier part can reach.
    Bytes place_;
    std::unique_ptr<Workload> rows_;
    std::uint64_t bytes_ = 0;      ///< decoded in all
    std::uint64_t headBytes_ = 0;  ///< up to the first line feed, where the part may begin within a row
    bool inHead_;                  ///< no line feed yet, and the part may begin within a row
    std::string head_;             ///< up to the first line feed, at most kKept
    std::string tail_;             ///< behind the last line feed
    bool tailRejected_ = false;    ///< the row at the end is longer than kKept: rows_ has rejected it
};

}  // namespace mmapscope
