#include "probe/meminfo.h"

#include <array>

#include "probe/size_fields.h"
#include "probe/system_facts.h"

namespace mmapscope {
namespace {

constexpr std::array<SizeField<Meminfo>, 16> kSizes{{{"MemTotal", &Meminfo::total},
                                                     {"MemFree", &Meminfo::free},
                                                     {"MemAvailable", &Meminfo::available},
                                                     {"Cached", &Meminfo::cached},
                                                     {"Dirty", &Meminfo::dirty},
                                                     {"Writeback", &Meminfo::writeback},
                                                     {"Shmem", &Meminfo::shmem},
                                                     {"Mlocked", &Meminfo::mlocked},
                                                     {"SwapTotal", &Meminfo::swapTotal},
                                                     {"SwapFree", &Meminfo::swapFree},
                                                     {"AnonHugePages", &Meminfo::anonHugePages},
                                                     {"FileHugePages", &Meminfo::fileHugePages},
                                                     {"FilePmdMapped", &Meminfo::filePmdMapped},
                                                     {"ShmemPmdMapped", &Meminfo::shmemPmdMapped},
                                                     {"Hugepagesize", &Meminfo::hugePage},
                                                     {"Hugetlb", &Meminfo::hugetlb}}};

}  // namespace

Meminfo parseMeminfo(std::string_view text) noexcept {
    Meminfo info;
    Lines lines(text);
    while (const auto line = lines.next()) {
        const auto entry = splitAtColon(*line);
        const auto* const field = entry ? findSizeField(kSizes, entry->key) : nullptr;
        if (field != nullptr) {
            info.*(field->member) = parseKib(entry->value);
        }
    }
    return info;
}

Result<Meminfo> readMeminfo() {
    return readKernelText("/proc/meminfo").map([](const std::string& text) { return parseMeminfo(text); });
}

}  // namespace mmapscope
