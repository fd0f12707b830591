#include "probe/mount_info.h"

#include <sys/sysmacros.h>

#include <charconv>

#include "probe/fields.h"

namespace mmapscope {
namespace {

bool isOctal(char c) {
    return c >= '0' && c <= '7';
}

std::optional<dev_t> parseDevice(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    const auto major = parseUnsigned(text.substr(0, colon));
    const auto minor = parseUnsigned(text.substr(colon + 1));
    if (!major || !minor || *major > UINT32_MAX || *minor > UINT32_MAX) {
        return std::nullopt;
    }
    return makedev(static_cast<unsigned>(*major), static_cast<unsigned>(*minor));
}

std::optional<MountEntry> parseLine(std::string_view line) {
    // 36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
    Fields fields(line);
    MountEntry entry;
    const auto id = parseUnsigned(fields.next());
    (void)fields.next();  // parent
    const auto device = parseDevice(fields.next());
    entry.root = undoOctalEscapes(fields.next());
    entry.mountPoint = undoOctalEscapes(fields.next());
    entry.options = undoOctalEscapes(fields.next());
    std::string_view field = fields.next();
    while (!field.empty() && field != "-") {  // optional fields, any number
        field = fields.next();
    }
    entry.filesystem = undoOctalEscapes(fields.next());
    // A source may be empty (two spaces), which the field after it must not be taken for.
    entry.source = undoOctalEscapes(fields.nextOrEmpty());
    entry.superOptions = undoOctalEscapes(fields.next());
    if (!id || !device || field != "-" || entry.mountPoint.empty() || entry.filesystem.empty()) {
        return std::nullopt;
    }
    entry.id = *id;
    entry.device = *device;
    return entry;
}

bool liesUnder(std::string_view path, std::string_view mountPoint) {
    if (mountPoint == "/") {
        return path.starts_with('/');
    }
    return path.starts_with(mountPoint) &&
           (path.size() == mountPoint.size() || path[mountPoint.size()] == '/');
}

}  // namespace

std::string undoOctalEscapes(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 3 < text.size() && text[i + 1] <= '3' && isOctal(text[i + 1]) &&
            isOctal(text[i + 2]) && isOctal(text[i + 3])) {
            out +=
                static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
            i += 3;
        } else {
            out += text[i];
        }
    }
    return out;
}

std::vector<MountEntry> parseMountInfo(std::string_view text) {
    std::vector<MountEntry> mounts;
    Lines lines(text);
    while (const auto line = lines.next()) {
        if (auto entry = parseLine(*line)) {
            mounts.push_back(std::move(*entry));
        }
    }
    return mounts;
}

const MountEntry* findMount(const std::vector<MountEntry>& mounts, std::optional<std::uint64_t> id,
                            std::optional<dev_t> device, std::string_view path) {
    if (id) {
        for (const MountEntry& mount : mounts) {
            if (mount.id == *id) {
                return &mount;
            }
        }
    }
    const MountEntry* best = nullptr;
    bool bestOnDevice = false;
    for (const MountEntry& mount : mounts) {
        if (!liesUnder(path, mount.mountPoint)) {
            continue;
        }
        const bool onDevice = device && mount.device == *device;
        if (best == nullptr || (onDevice && !bestOnDevice) ||
            (onDevice == bestOnDevice && mount.mountPoint.size() >= best->mountPoint.size())) {
            best = &mount;
            bestOnDevice = onDevice;
        }
    }
    return best;
}

std::string allOptions(const MountEntry& mount) {
    std::string all = mount.options;
    const auto has = [&all](std::string_view option) {
        return ("," + all + ",").find("," + std::string(option) + ",") != std::string::npos;
    };
    std::string_view rest = mount.superOptions;
    while (!rest.empty()) {
        const std::size_t comma = rest.find(',');
        const std::string_view option = rest.substr(0, comma);
        rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
        // The mount's own ro/rw is the one that counts for whoever opens files through it.
        if (!option.empty() && option != "ro" && option != "rw" && !has(option)) {
            all += (all.empty() ? "" : ",") + std::string(option);
        }
    }
    return all;
}

}  // namespace mmapscope
