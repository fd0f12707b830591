#include "workload/zstd_outcome.h"

#include <fmt/format.h>

#include <array>

namespace mmapscope {
namespace {

std::string hex(std::uint64_t digest) {
    return fmt::format("{:016x}", digest);
}

}  // namespace

ZstdOutput::ZstdOutput(bool digest) {
    if (digest) {
        whole_.reset(XXH64_createState());
        frame_.reset(XXH64_createState());
        XXH64_reset(whole_.get(), 0);
        XXH64_reset(frame_.get(), 0);
    }
}

void ZstdOutput::add(std::span<const std::byte> bytes) {
    bytes_ += bytes.size();
    if (auto* account = ThreadAccount::current()) {
        account->counters().bytesOut.fetch_add(bytes.size(), std::memory_order_relaxed);
    }
    if (whole_) {
        frameBytes_ += bytes.size();
        XXH64_update(whole_.get(), bytes.data(), bytes.size());
        XXH64_update(frame_.get(), bytes.data(), bytes.size());
    }
}

void ZstdOutput::endFrame() {
    if (frameBytes_ > 0) {
        frames_.push_back(XXH64_digest(frame_.get()));
        XXH64_reset(frame_.get(), 0);
        frameBytes_ = 0;
    }
}

Outcome ZstdOutput::merged(std::span<const ZstdOutput* const> parts) {
    std::uint64_t bytes = 0;
    std::size_t frames = 0;
    for (const ZstdOutput* part : parts) {
        bytes += part->bytes_;
        frames += part->frames_.size();
    }
    Outcome outcome{{{"bytes_out", bytes}}};
    if (!parts.front()->whole_) {
        return outcome;
    }
    if (parts.size() == 1) {
        outcome.fields.emplace_back("xxh64", hex(XXH64_digest(parts.front()->whole_.get())));
    }
    if (frames > 1) {
        const State state(XXH64_createState());
        XXH64_reset(state.get(), 0);
        for (const ZstdOutput* part : parts) {
            for (const std::uint64_t digest : part->frames_) {
                std::array<unsigned char, 8> bytesOf;
                for (std::size_t i = 0; i < bytesOf.size(); ++i) {
                    bytesOf[i] = static_cast<unsigned char>(digest >> (8 * i));
                }
                XXH64_update(state.get(), bytesOf.data(), bytesOf.size());
            }
        }
        outcome.fields.emplace_back("frames_xxh64", hex(XXH64_digest(state.get())));
    }
    return outcome;
}

}  // namespace mmapscope
