#include "probe/cpu.h"

#include <array>
#include <cstring>
#include <string_view>

#include "probe/fields.h"
#include "probe/system_facts.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace mmapscope {
namespace {

[[maybe_unused]] void append(std::string& list, bool present, std::string_view unit) {
    if (present) {
        list += list.empty() ? "" : ", ";
        list += unit;
    }
}

#if defined(__x86_64__) || defined(__i386__)

std::optional<std::string> byCpuid() {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    constexpr unsigned kHypervisorBit = 1U << 31U;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kHypervisorBit) == 0) {
        return std::nullopt;
    }
    // Leaf 0x40000000 is beyond the range __get_cpuid checks; the bit above says that it is there.
    __cpuid(0x40000000U, a, b, c, d);
    std::array<char, 12> signature{};
    std::memcpy(signature.data(), &b, 4);
    std::memcpy(signature.data() + 4, &c, 4);
    std::memcpy(signature.data() + 8, &d, 4);
    std::string_view text(signature.data(), signature.size());
    const std::size_t end = text.find('\0');
    text = text.substr(0, end);
    constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kKnown{
        {{"KVMKVMKVM", "KVM"},
         {"VMwareVMware", "VMware"},
         {"Microsoft Hv", "Hyper-V"},
         {"XenVMMXenVMM", "Xen"},
         {"TCGTCGTCGTCG", "QEMU without hardware support"},
         {"VBoxVBoxVBox", "VirtualBox"},
         {"bhyve bhyve ", "bhyve"}}};
    for (const auto& [mark, known] : kKnown) {
        if (text == mark) {
            return std::string(known);
        }
    }
    return text.empty() ? "a hypervisor that gives no name" : std::string(text);
}

#endif

}  // namespace

std::optional<std::string> hypervisorName() {
#if defined(__x86_64__) || defined(__i386__)
    return byCpuid();
#else
    if (const auto type = readKernelText("/sys/hypervisor/type")) {
        return std::string(trimmed(*type));
    }
    if (const auto tree = readKernelText("/proc/device-tree/hypervisor/compatible")) {
        return std::string(tree->c_str());
    }
    return std::nullopt;
#endif
}

std::string vectorUnits() {
    std::string list;
#if defined(__x86_64__) || defined(__i386__)
    // These builtins also ask XGETBV whether the kernel saves the wider registers.
    __builtin_cpu_init();
    append(list, __builtin_cpu_supports("sse2") != 0, "SSE2");
    append(list, __builtin_cpu_supports("ssse3") != 0, "SSSE3");
    append(list, __builtin_cpu_supports("sse4.2") != 0, "SSE4.2");
    append(list, __builtin_cpu_supports("avx2") != 0, "AVX2");
    append(list, __builtin_cpu_supports("avx512f") != 0, "AVX-512F");
    append(list, __builtin_cpu_supports("avx512bw") != 0, "AVX-512BW");
    append(list, __builtin_cpu_supports("avx512vl") != 0, "AVX-512VL");
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    append(list, __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0, "SHA");
#elif defined(__aarch64__)
    const unsigned long caps = getauxval(AT_HWCAP);
    append(list, (caps & HWCAP_ASIMD) != 0, "NEON");
    append(list, (caps & HWCAP_SHA1) != 0, "SHA1");
    append(list, (caps & HWCAP_SHA2) != 0, "SHA2");
    append(list, (caps & HWCAP_SVE) != 0, "SVE");
#endif
    return list;
}

}  // namespace mmapscope
