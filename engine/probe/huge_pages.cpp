#include "probe/huge_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/text.h"
#include "probe/fields.h"
#include "probe/meminfo.h"
#include "probe/system_facts.h"

namespace mmapscope {
namespace {

Result<std::uint64_t> numberIn(const std::string& path) {
    const auto text = readKernelText(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    const auto value = parseUnsigned(trimmed(*text));
    if (!value) {
        return fail(ErrorKind::unavailable, fmt::format("{} does not hold a number", path));
    }
    return *value;
}

}  // namespace

std::string poolDirectory(Bytes size, const std::string& sysRoot) {
    return fmt::format("{}/kernel/mm/hugepages/hugepages-{}kB", sysRoot, size.count() >> 10U);
}

Result<PoolFacts> poolOf(Bytes size, const std::string& sysRoot) {
    const std::string directory = poolDirectory(size, sysRoot);
    std::error_code error;
    if (!std::filesystem::exists(directory, error)) {
        return fail(ErrorKind::unavailable, fmt::format("this kernel has no pool of {} pages ({} is missing)",
                                                        formatBytes(size), directory));
    }
    PoolFacts pool;
    pool.size = size;
    const struct {
        const char* file;
        std::uint64_t PoolFacts::*member;
    } files[] = {{"nr_hugepages", &PoolFacts::total},
                 {"free_hugepages", &PoolFacts::free},
                 {"resv_hugepages", &PoolFacts::reserved},
                 {"surplus_hugepages", &PoolFacts::surplus},
                 {"nr_overcommit_hugepages", &PoolFacts::overcommit}};
    for (const auto& file : files) {
        const auto value = numberIn(directory + "/" + file.file);
        if (!value) {
            // Gigantic pages have no overcommit file on some kernels: nothing is added then.
            if (file.member == &PoolFacts::overcommit) {
                continue;
            }
            return tl::unexpected(value.error());
        }
        pool.*(file.member) = *value;
    }
    return pool;
}

std::vector<PoolFacts> allPools(const std::string& sysRoot) {
    std::vector<PoolFacts> pools;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(sysRoot + "/kernel/mm/hugepages", error)) {
        const std::string directory = entry.path().filename().string();
        std::string_view label = directory;
        if (!label.starts_with("hugepages-") || !label.ends_with("kB")) {
            continue;
        }
        label.remove_prefix(std::string_view("hugepages-").size());
        label.remove_suffix(2);
        const auto kibibytes = parseUnsigned(label);
        if (!kibibytes) {
            continue;
        }
        if (auto pool = poolOf(kib(*kibibytes), sysRoot)) {
            pools.push_back(*pool);
        }
    }
    std::sort(pools.begin(), pools.end(),
              [](const PoolFacts& a, const PoolFacts& b) { return a.size < b.size; });
    return pools;
}

std::uint64_t reserveTotal(const PoolFacts& pool, std::uint64_t pages) {
    const std::uint64_t inUse = pool.total > pool.free ? pool.total - pool.free : 0;
    return std::max(inUse + pool.reserved + pages, pool.total);
}

std::string poolCommand(Bytes size, std::uint64_t pages) {
    const auto meminfo = readMeminfo();
    if (!meminfo || meminfo->hugePage.value_or(kHugePage) == size) {
        return fmt::format("sudo sysctl vm.nr_hugepages={}", pages);
    }
    return fmt::format("echo {} | sudo tee {}/nr_hugepages", pages, poolDirectory(size));
}

std::string reserveCommand(const PoolFacts& pool, std::uint64_t pages) {
    return poolCommand(pool.size, reserveTotal(pool, pages));
}

}  // namespace mmapscope
