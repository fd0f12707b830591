#include "probe/cpu_tlb.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <tuple>

#include "core/text.h"
#include "probe/cpu.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace mmapscope {
namespace {

constexpr Bytes k4K = kib(4);
constexpr Bytes k2M = mib(2);
constexpr Bytes k4M = mib(4);
constexpr Bytes k1G = gib(1);
constexpr std::uint32_t kExtended = 0x80000000;

constexpr std::uint32_t bits(std::uint32_t word, unsigned low, unsigned count) {
    return (word >> low) & ((1U << count) - 1U);
}

std::string vendorOf(const CpuidRegisters& zero) {
    std::array<char, 12> text{};
    std::memcpy(text.data(), &zero.ebx, 4);
    std::memcpy(text.data() + 4, &zero.edx, 4);
    std::memcpy(text.data() + 8, &zero.ecx, 4);
    return {text.data(), text.size()};
}

/// One byte of leaf 2.
struct Descriptor {
    std::uint8_t byte;
    unsigned level;
    TlbUse use;
    std::uint8_t pages;  ///< kSmall | kTwo | kFour | kGiant
    std::uint16_t entries;
    std::uint8_t ways;
};
constexpr std::uint8_t kSmall = 1;
constexpr std::uint8_t kTwo = 2;
constexpr std::uint8_t kFour = 4;
constexpr std::uint8_t kGiant = 8;

// Intel SDM volume 2A, table 3-12. "DTLB1" there is the second level of the CPUs that have a "DTLB0".
constexpr Descriptor kDescriptors[] = {
    {0x01, 1, TlbUse::instruction, kSmall, 32, 4},
    {0x02, 1, TlbUse::instruction, kFour, 2, 0},
    {0x03, 1, TlbUse::data, kSmall, 64, 4},
    {0x04, 1, TlbUse::data, kFour, 8, 4},
    {0x05, 2, TlbUse::data, kFour, 32, 4},
    {0x0B, 1, TlbUse::instruction, kFour, 4, 4},
    {0x56, 1, TlbUse::data, kFour, 16, 4},
    {0x57, 1, TlbUse::data, kSmall, 16, 4},
    {0x59, 1, TlbUse::data, kSmall, 16, 0},
    {0x5A, 1, TlbUse::data, kTwo | kFour, 32, 4},
    {0x61, 1, TlbUse::instruction, kSmall, 48, 0},
    {0x63, 1, TlbUse::data, kTwo | kFour, 32, 4},
    {0x63, 1, TlbUse::data, kGiant, 4, 4},
    {0x64, 1, TlbUse::data, kSmall, 512, 4},
    {0x6A, 1, TlbUse::data, kSmall, 64, 8},
    {0x6B, 1, TlbUse::data, kSmall, 256, 8},
    {0x6C, 1, TlbUse::data, kTwo | kFour, 128, 8},
    {0x6D, 1, TlbUse::data, kGiant, 16, 0},
    {0x76, 1, TlbUse::instruction, kTwo | kFour, 8, 0},
    {0xA0, 1, TlbUse::data, kSmall, 32, 0},
    {0xB0, 1, TlbUse::instruction, kSmall, 128, 4},
    {0xB1, 1, TlbUse::instruction, kTwo, 8, 4},
    {0xB2, 1, TlbUse::instruction, kSmall, 64, 4},
    {0xB3, 1, TlbUse::data, kSmall, 128, 4},
    {0xB4, 2, TlbUse::data, kSmall, 256, 4},
    {0xB5, 1, TlbUse::instruction, kSmall, 64, 8},
    {0xB6, 1, TlbUse::instruction, kSmall, 128, 8},
    {0xBA, 2, TlbUse::data, kSmall, 64, 4},
    {0xC0, 1, TlbUse::data, kSmall | kFour, 8, 4},
    {0xC1, 2, TlbUse::unified, kSmall | kTwo, 1024, 8},
    {0xC2, 1, TlbUse::data, kSmall | kTwo, 16, 4},
    {0xC3, 2, TlbUse::unified, kSmall | kTwo, 1536, 6},
    {0xC3, 2, TlbUse::unified, kGiant, 16, 4},
    {0xC4, 1, TlbUse::data, kTwo | kFour, 32, 4},
    {0xCA, 2, TlbUse::unified, kSmall, 512, 4},
};
constexpr std::uint8_t kSeeLeaf18 = 0xFE;

std::vector<Bytes> pagesOf(std::uint32_t set) {
    std::vector<Bytes> pages;
    const std::array<Bytes, 4> sizes{k4K, k2M, k4M, k1G};
    for (unsigned i = 0; i < sizes.size(); ++i) {
        if (bits(set, i, 1) != 0) {
            pages.push_back(sizes[i]);
        }
    }
    return pages;
}

/// Of leaf 2; true when it points to leaf 18h.
bool addDescriptors(const CpuidRegisters& leaf2, std::vector<TlbArray>& arrays) {
    bool elsewhere = false;
    // The lowest byte of EAX says how often to ask: once, on every CPU there is.
    const std::array<std::uint32_t, 4> words{leaf2.eax & ~0xFFU, leaf2.ebx, leaf2.ecx, leaf2.edx};
    for (const std::uint32_t word : words) {
        if (bits(word, 31, 1) != 0) {
            continue;  // holds no descriptors
        }
        for (unsigned shift = 0; shift < 32; shift += 8) {
            const std::uint32_t byte = bits(word, shift, 8);
            elsewhere = elsewhere || byte == kSeeLeaf18;
            for (const Descriptor& known : kDescriptors) {
                if (known.byte == byte) {
                    arrays.push_back(
                        {known.level, known.use, pagesOf(known.pages), known.entries, known.ways});
                }
            }
        }
    }
    return elsewhere;
}

void addLeaf18(const CpuidReader& cpuid, std::vector<TlbArray>& arrays) {
    constexpr std::uint32_t kMostSubleaves = 64;
    const std::uint32_t last = std::min(cpuid(0x18, 0).eax, kMostSubleaves);
    for (std::uint32_t subleaf = 0; subleaf <= last; ++subleaf) {
        const CpuidRegisters r = cpuid(0x18, subleaf);
        const std::uint32_t type = bits(r.edx, 0, 5);
        const std::uint32_t ways = bits(r.ebx, 16, 16);
        const std::uint32_t entries = ways * r.ecx;
        if (type == 0 || type > 5 || entries == 0 || bits(r.ebx, 0, 4) == 0) {
            continue;
        }
        // 1 data, 2 instruction, 3 unified; 4 and 5 hold loads and stores of data.
        const TlbUse use = type == 2 ? TlbUse::instruction : type == 3 ? TlbUse::unified : TlbUse::data;
        const bool full = bits(r.edx, 8, 1) != 0;
        arrays.push_back({bits(r.edx, 5, 3), use, pagesOf(bits(r.ebx, 0, 4)), entries, full ? 0 : ways});
    }
}

TlbGeometry intel(const CpuidReader& cpuid, std::uint32_t highest) {
    TlbGeometry told;
    const bool elsewhere = highest >= 2 && addDescriptors(cpuid(2, 0), told.arrays);
    told.source = "CPUID leaf 2";
    if ((elsewhere || told.arrays.empty()) && highest >= 0x18) {
        told.arrays.clear();
        addLeaf18(cpuid, told.arrays);
        told.source = "CPUID leaf 18h";
    }
    if (!told.told()) {
        told.reason = elsewhere ? "CPUID leaf 2 points to leaf 18h, which is empty"
                                : "CPUID leaves 2 and 18h describe no TLB";
    }
    return told;
}

/// The four bits of the functions for the second level; absent: disabled or told elsewhere.
std::optional<unsigned> waysOf(std::uint32_t code) {
    constexpr std::array<int, 16> kWays{-1, 1, 2, 3, 4, 6, 8, -1, 16, -1, 32, 48, 64, 96, 128, 0};
    return kWays[code] < 0 ? std::nullopt : std::optional(static_cast<unsigned>(kWays[code]));
}

void addPair(std::vector<TlbArray>& arrays, unsigned level, std::vector<Bytes> pages, std::uint32_t word,
             unsigned factor) {
    const auto add = [&](TlbUse use, std::uint32_t half) {
        const auto ways = waysOf(bits(half, 12, 4));
        const unsigned entries = bits(half, 0, 12) * factor;
        if (ways && entries > 0) {
            arrays.push_back({level, use, pages, entries, *ways});
        }
    };
    const std::uint32_t data = bits(word, 16, 16);
    const std::uint32_t instruction = bits(word, 0, 16);
    add(TlbUse::data, data);
    // A word without a data half describes an array for both.
    add(data == 0 ? TlbUse::unified : TlbUse::instruction, instruction);
}

void addFirstLevel(std::vector<TlbArray>& arrays, std::vector<Bytes> pages, std::uint32_t word) {
    const auto add = [&](TlbUse use, std::uint32_t half) {
        const std::uint32_t ways = bits(half, 8, 8);
        if (bits(half, 0, 8) > 0 && ways > 0) {
            arrays.push_back({1, use, pages, bits(half, 0, 8), ways == 0xFF ? 0 : ways});
        }
    };
    add(TlbUse::data, bits(word, 16, 16));
    add(TlbUse::instruction, bits(word, 0, 16));
}

TlbGeometry amd(const CpuidReader& cpuid, std::uint32_t highest) {
    TlbGeometry told;
    told.source = "CPUID functions 8000_0005h, 8000_0006h, 8000_0019h";
    const bool times32 = highest >= 0x80000021 && bits(cpuid(0x80000021, 0).eax, 14, 1) != 0;
    const unsigned factor = times32 ? 32 : 1;
    // Entries for 4 MiB pages are half of those for 2 MiB pages, two for each: not told apart here.
    if (highest >= 0x80000005) {
        const CpuidRegisters r = cpuid(0x80000005, 0);
        addFirstLevel(told.arrays, {k4K}, r.ebx);
        addFirstLevel(told.arrays, {k2M}, r.eax);
    }
    if (highest >= 0x80000019) {
        addPair(told.arrays, 1, {k1G}, cpuid(0x80000019, 0).eax, 1);
    }
    if (highest >= 0x80000006) {
        const CpuidRegisters r = cpuid(0x80000006, 0);
        addPair(told.arrays, 2, {k4K}, r.ebx, factor);
        addPair(told.arrays, 2, {k2M}, r.eax, factor);
    }
    if (highest >= 0x80000019) {
        addPair(told.arrays, 2, {k1G}, cpuid(0x80000019, 0).ebx, factor);
    }
    if (!told.told()) {
        told.reason = "CPUID functions 8000_0005h and 8000_0006h are empty";
    }
    return told;
}

}  // namespace

unsigned TlbGeometry::dataEntries(unsigned level, Bytes page) const {
    unsigned entries = 0;
    for (const TlbArray& array : arrays) {
        const bool holds = std::find(array.pages.begin(), array.pages.end(), page) != array.pages.end();
        if (array.level == level && array.use != TlbUse::instruction && holds) {
            entries += array.entries;
        }
    }
    return entries;
}

TlbGeometry tlbGeometryOf(const CpuidReader& cpuid) {
    const CpuidRegisters zero = cpuid(0, 0);
    const std::string vendor = vendorOf(zero);
    TlbGeometry told;
    if (vendor == "GenuineIntel") {
        told = intel(cpuid, zero.eax);
    } else if (vendor == "AuthenticAMD" || vendor == "HygonGenuine") {
        told = amd(cpuid, cpuid(kExtended, 0).eax);
    } else {
        told.reason =
            fmt::format("how CPUs of \"{}\" describe their TLBs is not known here", printable(vendor));
    }
    std::stable_sort(told.arrays.begin(), told.arrays.end(), [](const TlbArray& a, const TlbArray& b) {
        return std::tuple(a.level, a.use, a.pages.front()) < std::tuple(b.level, b.use, b.pages.front());
    });
    return told;
}

TlbGeometry tlbGeometry() {
#if defined(__x86_64__) || defined(__i386__)
    TlbGeometry told = tlbGeometryOf([](std::uint32_t leaf, std::uint32_t subleaf) {
        CpuidRegisters r;
        __cpuid_count(leaf, subleaf, r.eax, r.ebx, r.ecx, r.edx);
        return r;
    });
    if (const auto hypervisor = hypervisorName()) {
        told.reason += fmt::format("{}{} may have masked or made up what CPUID says",
                                   told.reason.empty() ? "" : "; ", *hypervisor);
    }
    return told;
#else
    TlbGeometry none;
    none.reason = "this processor has no CPUID instruction, and nothing else tells";
    return none;
#endif
}

std::string describe(const TlbArray& array) {
    std::string pages;
    for (const Bytes page : array.pages) {
        pages += (pages.empty() ? "" : ", ") + formatBytes(page);
    }
    const std::string_view use = array.use == TlbUse::data          ? "data"
                                 : array.use == TlbUse::instruction ? "instructions"
                                                                    : "both";
    return fmt::format("L{} {} {}: {} {}, {}", array.level, use, pages, array.entries,
                       array.entries == 1 ? "entry" : "entries",
                       array.ways == 0 ? "fully associative" : fmt::format("{}-way", array.ways));
}

}  // namespace mmapscope
