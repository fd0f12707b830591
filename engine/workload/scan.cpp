// scan: the cheapest use of every byte, so that what remains is how the bytes got there.
#include <algorithm>
#include <array>
#include <cstring>

#include "workload/even_split.h"
#include "workload/pacer.h"
#include "workload/registry.h"
#include "workload/word_sum.h"

namespace mmapscope {
namespace {

constexpr std::size_t kWord = 8;

class Scan final : public Workload {
  public:
    explicit Scan(const WorkloadInput& input) : pacer_(input.stop), sumWords_(bestWordSum().sum) {}

    Status consume(std::span<const std::byte> bytes) override {
        bytes_ += bytes.size();
        if (carried_ != 0) {
            const std::size_t taken = std::min(kWord - carried_, bytes.size());
            std::memcpy(carry_.data() + carried_, bytes.data(), taken);
            carried_ += taken;
            bytes = bytes.subspan(taken);
            if (carried_ < kWord) {
                return {};
            }
            sum_ += sumWords_(carry_.data(), 1);
            carried_ = 0;
        }
        while (bytes.size() >= kWord) {
            const std::size_t slice = std::min(bytes.size() / kWord * kWord, Pacer::kSlice);
            sum_ += sumWords_(bytes.data(), slice / kWord);
            bytes = bytes.subspan(slice);
            if (auto status = pacer_.advance(slice); !status) {
                return status;
            }
        }
        if (!bytes.empty()) {
            std::memcpy(carry_.data(), bytes.data(), bytes.size());
            carried_ = bytes.size();
        }
        return {};
    }

    Status finish() override {
        if (carried_ != 0) {
            std::memset(carry_.data() + carried_, 0, kWord - carried_);
            sum_ += sumWords_(carry_.data(), 1);
            carried_ = 0;
        }
        return {};
    }

    Result<Outcome> outcome(std::span<Workload* const> all) const override {
        std::uint64_t bytes = 0;
        std::uint64_t sum = 0;
        for (const Workload* workload : all) {
            const auto& scan = static_cast<const Scan&>(*workload);
            bytes += scan.bytes_;
            sum += scan.sum_;
        }
        return Outcome{{{"bytes", bytes}, {"sum", sum}}};
    }

  private:
    Pacer pacer_;
    std::uint64_t (*sumWords_)(const std::byte*, std::size_t);
    std::uint64_t bytes_ = 0;
    std::uint64_t sum_ = 0;
    /// The start of a word whose rest comes with the next span.
    std::array<std::byte, kWord> carry_{};
    std::size_t carried_ = 0;
};

}  // namespace

const WorkloadType scanWorkload = {
    .id = "scan",
    .summary = "Adds up every 8-byte word: the cheapest use of every byte, close to memory speed.",
    .parameters = {},
    .producesOutput = false,
    .resolve = [](const FileFacts&, const Parameters& parameters) -> Result<Parameters> {
        return parameters;
    },
    .fitLimit = [](const FileFacts&, const Parameters&, Bytes limit) -> Result<Bytes> { return limit; },
    .split = [](const FileFacts&, const Parameters&, Bytes limit,
                unsigned threads) -> Result<std::vector<Range>> {
        // Whole words, but also whole pages where there are enough: threads then don't fault the same page.
        const bool pages = limit >= pageSize() * threads;
        return splitEvenly(limit, threads, pages ? pageSize() : Bytes(kWord));
    },
    .create = [](const Parameters&, const WorkloadInput& input) -> Result<std::unique_ptr<Workload>> {
        return std::make_unique<Scan>(input);
    },
    .describe = [](const FileFacts&, const Parameters&) { return std::string(); },
    .takesFolders = true,
};

}  // namespace mmapscope
