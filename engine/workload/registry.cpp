#include "workload/registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "workload/zstd_format.h"

namespace mmapscope {
namespace {

bool resolvesByDefault(const WorkloadType& type, const FileFacts& file) {
    const auto defaults = parseParameters(type.parameters, "");
    return defaults && type.resolve(file, *defaults).has_value();
}

}  // namespace

const std::vector<const WorkloadType*>& allWorkloads() {
    static const std::vector<const WorkloadType*> all = {
        &scanWorkload, &touchWorkload, &zstdWorkload, &piecesWorkload, &ticksWorkload, &csvLibraryWorkload,
    };
    return all;
}

const WorkloadType* findWorkload(std::string_view id) {
    const auto& all = allWorkloads();
    const auto it =
        std::find_if(all.begin(), all.end(), [&](const WorkloadType* type) { return type->id == id; });
    return it == all.end() ? nullptr : *it;
}

Result<Parameters> resolveFor(const WorkloadType& type, const FileFacts& input,
                              const Parameters& parameters) {
    if (!input.isFolder() || type.takesFolders) {
        auto resolved = type.resolve(input, parameters);
        if (!resolved && resolved.error().kind == ErrorKind::input &&
            resolved.error().message.find(printable(input.path)) == std::string::npos) {
            return fail(ErrorKind::input, printable(input.path) + ": " + resolved.error().message);
        }
        return resolved;
    }
    std::vector<std::string_view> able;
    for (const WorkloadType* other : allWorkloads()) {
        if (other->takesFolders) {
            able.push_back(other->id);
        }
    }
    return fail(
        ErrorKind::input,
        fmt::format("{}: a folder, and {} works on one file; choose a file in it, or {} for all of it",
                    printable(input.path), type.id, fmt::join(able, " or ")));
}

const WorkloadType& suggestWorkload(const FileFacts& file) {
    // An empty file has no rows and no magic number: nothing speaks for one of the others.
    if (file.bytes.isZero()) {
        return scanWorkload;
    }
    if (file.isFolder()) {
        return piecesWorkload;
    }
    if (beginsLikeZstd(file)) {
        return zstdWorkload;
    }
    return resolvesByDefault(ticksWorkload, file) ? ticksWorkload : scanWorkload;
}

}  // namespace mmapscope
