// touch: one byte of every page, so that a mapped file costs its faults and nothing else.
#include <algorithm>

#include "core/text.h"
#include "workload/even_split.h"
#include "workload/pacer.h"
#include "workload/registry.h"

namespace mmapscope {
namespace {

class Touch final : public Workload {
  public:
    Touch(const WorkloadInput& input, Bytes stride)
        : pacer_(input.stop),
          stride_(stride.count()),
          position_(input.range.begin.count()),
          next_(roundUp(input.range.begin, stride).count()) {}

    Status consume(std::span<const std::byte> bytes) override {
        while (!bytes.empty()) {
            const std::size_t slice = std::min(bytes.size(), Pacer::kSlice);
            const std::uint64_t end = position_ + slice;
            std::uint64_t sum = 0;
            std::uint64_t at = next_;
            for (; at < end; at += stride_) {
                sum += static_cast<std::uint64_t>(bytes[at - position_]);
                ++pages_;
            }
            sum_ += sum;
            next_ = at;
            position_ = end;
            bytes = bytes.subspan(slice);
            if (auto status = pacer_.advance(slice); !status) {
                return status;
            }
        }
        return {};
    }

    Status finish() override { return {}; }

    Result<Outcome> outcome(std::span<Workload* const> all) const override {
        std::uint64_t pages = 0;
        std::uint64_t sum = 0;
        for (const Workload* workload : all) {
            const auto& touch = static_cast<const Touch&>(*workload);
            pages += touch.pages_;
            sum += touch.sum_;
        }
        return Outcome{{{"pages", pages}, {"sum", sum}}};
    }

  private:
    Pacer pacer_;
    std::uint64_t stride_;
    std::uint64_t position_;  ///< file offset of the next byte to come
    std::uint64_t next_;      ///< file offset of the next byte to touch
    std::uint64_t pages_ = 0;
    std::uint64_t sum_ = 0;
};

}  // namespace

const WorkloadType touchWorkload = {
    .id = "touch",
    .summary = "Reads one byte of every page: for a mapping, the pure cost of its page faults.",
    .parameters =
        {{.name = "stride",
          .kind = ParameterKind::bytes,
          .defaultValue = "page",
          .help = "Distance between the bytes touched, counted from the file's start; the default is this "
                  "system's page size.",
          .least = Bytes(1),
          .most = gib(1024)}},
    .producesOutput = false,
    .resolve = [](const FileFacts&, const Parameters& parameters) -> Result<Parameters> {
        Parameters resolved = parameters;
        if (textOf(resolved, "stride") == "page") {
            resolved["stride"] = formatBytesExact(pageSize());
        }
        return resolved;
    },
    .fitLimit = [](const FileFacts&, const Parameters&, Bytes limit) -> Result<Bytes> { return limit; },
    .split = [](const FileFacts&, const Parameters& parameters, Bytes limit, unsigned threads)
        -> Result<std::vector<Range>> { return splitEvenly(limit, threads, bytesOf(parameters, "stride")); },
    .create = [](const Parameters& parameters,
                 const WorkloadInput& input) -> Result<std::unique_ptr<Workload>> {
        return std::make_unique<Touch>(input, bytesOf(parameters, "stride"));
    },
    .describe = [](const FileFacts&, const Parameters&) { return std::string(); },
};

}  // namespace mmapscope
