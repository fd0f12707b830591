#include "workload/sha1_lanes.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace mmapscope {

#if defined(__x86_64__)
extern const Sha1Lanes avx512Sha1Lanes, avx2Sha1Lanes, shaNi1Sha1Lanes, shaNi2Sha1Lanes, shaNi3Sha1Lanes;
#endif
extern const Sha1Lanes portableSha1Lanes;

namespace {

constexpr std::array kAll = {
#if defined(__x86_64__)
    &avx512Sha1Lanes,  &avx2Sha1Lanes, &shaNi3Sha1Lanes, &shaNi2Sha1Lanes, &shaNi1Sha1Lanes,
#endif
    &portableSha1Lanes};

/// More lanes must save at least a tenth.
constexpr double kWorthMoreLanes = 1.1;

/// What one block in all lanes takes, in nanoseconds; infinite where this CPU doesn't have it. The least of
/// many short trials: what else the machine does, and the CPU's waking of its vector units, only ever adds.
double measuredCost(const Sha1Lanes& lanes) {
    if (!lanes.supported()) {
        return std::numeric_limits<double>::infinity();
    }
    constexpr int kTrials = 40;
    constexpr std::size_t kBlocks = 16;
    const std::array<std::byte, kBlocks * kSha1Block> bytes{};
    std::array<const std::byte*, kMaxSha1Lanes> at;
    at.fill(bytes.data());
    Sha1States states;
    states.reset();
    auto least = std::chrono::steady_clock::duration::max();
    for (int i = 0; i < kTrials; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        lanes.advance(states, at.data(), kBlocks);
        least = std::min(least, std::chrono::steady_clock::now() - begin);
    }
    return std::chrono::duration<double, std::nano>(least).count() / kBlocks;
}

const std::array<double, kAll.size()>& costs() {
    static const auto measured = [] {
        std::array<double, kAll.size()> all;
        std::transform(kAll.begin(), kAll.end(), all.begin(),
                       [](const Sha1Lanes* lanes) { return measuredCost(*lanes); });
        return all;
    }();
    return measured;
}

}  // namespace

void Sha1States::reset() noexcept {
    constexpr std::array<std::uint32_t, 5> kInitial = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476,
                                                       0xC3D2E1F0};
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i].fill(kInitial[i]);
    }
}

Sha1::Digest Sha1States::digest(std::size_t lane) const noexcept {
    Sha1::Digest digest;
    for (std::size_t i = 0; i < digest.size(); ++i) {
        digest[i] = static_cast<std::byte>(words[i / 4][lane] >> (24 - 8 * (i % 4)));
    }
    return digest;
}

std::span<const Sha1Lanes* const> allSha1Lanes() {
    return kAll;
}

const Sha1Lanes& bestSha1Lanes(std::size_t pieces) {
    std::size_t best = 0;
    const auto perPiece = [&](std::size_t i) {
        return costs()[i] / static_cast<double>(std::min(kAll[i]->lanes, pieces));
    };
    for (std::size_t i = 1; i < kAll.size(); ++i) {
        // What is nearly as fast and has fewer lanes needs fewer pieces at hand.
        if (perPiece(i) < perPiece(best) * kWorthMoreLanes) {
            best = i;
        }
    }
    return *kAll[best];
}

bool hasManySha1Lanes() {
    return std::any_of(kAll.begin(), kAll.end(),
                       [](const Sha1Lanes* lanes) { return lanes->lanes > 1 && lanes->supported(); });
}

Sha1Ending::Sha1Ending(std::span<const std::byte> rest, std::uint64_t length) noexcept
    : blocks_(rest.size() + 1 + sizeof length <= kSha1Block ? 1 : 2) {
    std::copy(rest.begin(), rest.end(), bytes_.begin());
    bytes_[rest.size()] = std::byte{0x80};
    const std::uint64_t bits = length * 8;
    for (std::size_t i = 0; i < sizeof bits; ++i) {
        bytes_[blocks_ * kSha1Block - 1 - i] = static_cast<std::byte>(bits >> (8 * i));
    }
}

}  // namespace mmapscope
