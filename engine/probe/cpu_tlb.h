// The translation lookaside buffers, as CPUID describes them.
//
// Intel: leaf 2 (descriptors) and leaf 18h, Intel SDM volume 2A, CPUID. AMD: functions 8000_0005h, 8000_0006h
// and 8000_0019h, the sizes of the second level times 32 where 8000_0021h EAX[14] (L2TlbSizeX32) says so, AMD
// APM volume 3, appendix E.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/units.h"

namespace mmapscope {

struct CpuidRegisters {
    std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};
/// (leaf, subleaf) → registers. A leaf the CPU doesn't have is never asked for.
using CpuidReader = std::function<CpuidRegisters(std::uint32_t, std::uint32_t)>;

enum class TlbUse { data, instruction, unified };

struct TlbArray {
    unsigned level = 1;
    TlbUse use = TlbUse::data;
    std::vector<Bytes> pages;  ///< sizes of pages whose translations it holds, ascending
    unsigned entries = 0;
    unsigned ways = 0;  ///< 0: fully associative
    /// How much memory its entries reach when all are for pages of that size.
    [[nodiscard]] Bytes reach(Bytes page) const { return page * entries; }
    friend bool operator==(const TlbArray&, const TlbArray&) = default;
};

struct TlbGeometry {
    std::vector<TlbArray> arrays;  ///< by level, then data, instruction, unified, then page; empty: not told
    std::string source;            ///< "CPUID leaf 18h"
    std::string reason;            ///< why it isn't told, or why it may not be so (a virtual machine)

    [[nodiscard]] bool told() const { return !arrays.empty(); }
    /// The entries data accesses of such pages have at that level; 0: none told.
    [[nodiscard]] unsigned dataEntries(unsigned level, Bytes page) const;
};

[[nodiscard]] TlbGeometry tlbGeometry();
[[nodiscard]] TlbGeometry tlbGeometryOf(const CpuidReader& cpuid);

/// "L1 data 4 KiB: 64 entries, 4-way": one line an array.
[[nodiscard]] std::string describe(const TlbArray& array);

}  // namespace mmapscope
