#include "probe/vm_flags.h"

#include <array>

namespace mmapscope {
namespace {

constexpr std::array kWords = {
    VmFlagWords{"rd", "readable"},
    VmFlagWords{"wr", "writable"},
    VmFlagWords{"ex", "executable"},
    VmFlagWords{"sh", "shared"},
    VmFlagWords{"mr", "may be made readable"},
    VmFlagWords{"mw", "may be made writable"},
    VmFlagWords{"me", "may be made executable"},
    VmFlagWords{"ms", "may be shared"},
    VmFlagWords{"gd", "stack: grows down"},
    VmFlagWords{"pf", "pure page-frame range: no struct page behind it"},
    VmFlagWords{"dw", "disabled write to the mapped file"},
    VmFlagWords{"lo", "locked in memory"},
    VmFlagWords{"io", "memory-mapped I/O"},
    VmFlagWords{"sr", "sequential reading advised: readahead reads further, pages behind are let go sooner"},
    VmFlagWords{"rr", "random reading advised: no readahead, no mapping around a fault from storage"},
    VmFlagWords{"dc", "not copied into children"},
    VmFlagWords{"de", "can't be enlarged by mremap"},
    VmFlagWords{"ac", "accounted against the commit limit"},
    VmFlagWords{"nr", "swap space not reserved"},
    VmFlagWords{"ht", "from the huge-page pool"},
    VmFlagWords{"sf", "synchronous faults (DAX)"},
    VmFlagWords{"nl", "nonlinear"},
    VmFlagWords{"ar", "architecture-specific flag"},
    VmFlagWords{"wf", "wiped in children"},
    VmFlagWords{"dd", "left out of core dumps"},
    VmFlagWords{"sd", "soft-dirty: changes are tracked"},
    VmFlagWords{"mm", "mixed: with and without struct page"},
    VmFlagWords{"hg", "huge pages advised (MADV_HUGEPAGE)"},
    VmFlagWords{"nh", "huge pages refused (MADV_NOHUGEPAGE)"},
    VmFlagWords{"mg", "may be merged (KSM)"},
    VmFlagWords{"bt", "ARM64: branch-target identification"},
    VmFlagWords{"mt", "ARM64: memory tagging"},
    VmFlagWords{"um", "userfaultfd: missing pages are told"},
    VmFlagWords{"uw", "userfaultfd: writes to protected pages are told"},
    VmFlagWords{"ui", "userfaultfd: minor faults are told"},
    VmFlagWords{"ss", "shadow stack"},
    VmFlagWords{"sl", "sealed: can't be changed or unmapped"},
    VmFlagWords{"lf", "locked on fault"},
    VmFlagWords{"dp", "dropped under memory pressure"},
};
static_assert(kWords.size() < 62);

}  // namespace

std::span<const VmFlagWords> vmFlagWords() {
    return kWords;
}

std::optional<VmFlags> vmFlagOf(std::string_view code) noexcept {
    for (std::size_t i = 0; i < kWords.size(); ++i) {
        if (kWords[i].code == code) {
            return VmFlags{1} << i;
        }
    }
    return std::nullopt;
}

VmFlags parseVmFlags(std::string_view line) noexcept {
    constexpr std::string_view kKey = "VmFlags:";
    constexpr std::string_view kBlanks = " \t\n";
    if (line.substr(0, kKey.size()) == kKey) {
        line.remove_prefix(kKey.size());
    }
    VmFlags flags = 0;
    while (true) {
        const std::size_t begin = line.find_first_not_of(kBlanks);
        if (begin == std::string_view::npos) {
            return flags;
        }
        line.remove_prefix(begin);
        const std::size_t end = line.find_first_of(kBlanks);
        flags |= vmFlagOf(line.substr(0, end)).value_or(kOtherVmFlag);
        line.remove_prefix(end == std::string_view::npos ? line.size() : end);
    }
}

}  // namespace mmapscope
