#include "probe/thp.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "probe/fields.h"
#include "probe/system_facts.h"

namespace mmapscope {
namespace {

std::optional<std::string> choiceOf(const std::string& path) {
    const auto text = readKernelText(path);
    return text ? bracketedChoice(*text) : std::nullopt;
}

/// "hugepages-64kB" → 64 KiB.
std::optional<Bytes> sizeOf(std::string_view name) {
    constexpr std::string_view kBegin = "hugepages-";
    constexpr std::string_view kEnd = "kB";
    if (name.size() <= kBegin.size() + kEnd.size() || name.substr(0, kBegin.size()) != kBegin ||
        name.substr(name.size() - kEnd.size()) != kEnd) {
        return std::nullopt;
    }
    name.remove_prefix(kBegin.size());
    name.remove_suffix(kEnd.size());
    const auto kib = parseUnsigned(name);
    return kib ? std::optional(Bytes(*kib * 1024)) : std::nullopt;
}

}  // namespace

ThpSettings readThpSettings(const std::string& sysRoot) {
    const std::string thp = sysRoot + "/kernel/mm/transparent_hugepage/";
    ThpSettings settings{
        choiceOf(thp + "enabled"), choiceOf(thp + "defrag"), choiceOf(thp + "shmem_enabled"), {}};
    std::error_code error;
    for (std::filesystem::directory_iterator it(thp, error), end; !error && it != end; it.increment(error)) {
        if (const auto size = sizeOf(it->path().filename().string())) {
            const std::string one = it->path().string() + "/";
            settings.sizes.push_back({*size, choiceOf(one + "enabled"), choiceOf(one + "shmem_enabled")});
        }
    }
    std::sort(settings.sizes.begin(), settings.sizes.end(),
              [](const ThpSize& a, const ThpSize& b) { return a.size < b.size; });
    return settings;
}

}  // namespace mmapscope
