#include "probe/mappers.h"

#include <fmt/format.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <filesystem>

#include "probe/fields.h"
#include "probe/smaps.h"
#include "probe/system_facts.h"

namespace mmapscope {

bool mapsLineIs(std::string_view line, const FileFacts& file) {
    const auto header = parseMappingHeader(line);
    if (!header || header->inode != file.stamp.inode) {
        return false;
    }
    const std::string own = fmt::format("{:02x}:{:02x}", major(file.stamp.device), minor(file.stamp.device));
    return header->device == own || mappingPath(header->rawPath).path == file.path;
}

std::vector<Mapper> mappersOf(const FileFacts& file, std::size_t most, const std::string& procRoot) {
    std::vector<Mapper> found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(procRoot, error)) {
        if (found.size() >= most) {
            break;
        }
        const auto pid = parseUnsigned(entry.path().filename().string());
        if (!pid) {
            continue;
        }
        const auto maps = readKernelText(entry.path().string() + "/maps");
        if (!maps) {
            continue;  // another user's, or gone
        }
        Lines lines(*maps);
        while (const auto line = lines.next()) {
            if (mapsLineIs(*line, file)) {
                const auto command = readKernelText(entry.path().string() + "/comm");
                found.push_back({*pid, command ? std::string(trimmed(*command)) : std::string("?")});
                break;
            }
        }
    }
    return found;
}

}  // namespace mmapscope
