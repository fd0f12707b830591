#include "probe/meminfo.h"

#include <algorithm>
#include <array>

#include "probe/fields.h"
#include "probe/system_facts.h"

namespace mmapscope {
namespace {

struct SizeField {
    std::string_view key;
    std::optional<Bytes> Meminfo::*member;
};
constexpr std::array<SizeField, 16> kSizes{{{"MemTotal", &Meminfo::total},
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
        const std::size_t colon = line->find(':');
        if (colon == std::string_view::npos) {
            continue;
        }
        const std::string_view key = line->substr(0, colon);
        const auto* field =
            std::find_if(kSizes.begin(), kSizes.end(), [key](const SizeField& f) { return f.key == key; });
        if (field != kSizes.end()) {
            info.*(field->member) = parseKib(line->substr(colon + 1));
        }
    }
    return info;
}

Result<Meminfo> readMeminfo() {
    return readKernelText("/proc/meminfo").map([](const std::string& text) { return parseMeminfo(text); });
}

}  // namespace mmapscope
