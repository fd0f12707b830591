#define ZSTD_STATIC_LINKING_ONLY  // ZSTD_createDDict_advanced: the one way to see what libzstd allocates
#include "workload/zstd_dictionary.h"

#include <fmt/format.h>
#include <zstd.h>

#include "core/text.h"
#include "probe/file_facts.h"
#include "workload/input_file.h"
#include "workload/zstd_memory.h"

namespace mmapscope {

void FreeDDict::operator()(ZSTD_DDict_s* dictionary) const {
    ZSTD_freeDDict(dictionary);
}

Result<ZstdDictionary> loadZstdDictionary(const std::string& path) {
    if (path.empty()) {
        return ZstdDictionary{};
    }
    const auto facts = inspectFile(path);
    if (!facts) {
        return fail(ErrorKind::input, fmt::format("the dictionary: {}", facts.error().message));
    }
    if (facts->bytes.isZero() || facts->bytes > kMaxDictionary) {
        return fail(ErrorKind::input,
                    fmt::format("the dictionary {} has {}, and one has from 1 byte to {}: name another file",
                                printable(path), formatBytes(facts->bytes), formatBytes(kMaxDictionary)));
    }
    const auto file = InputFile::open(path);
    if (!file) {
        return fail(ErrorKind::input, fmt::format("the dictionary: {}", file.error().message));
    }
    std::vector<std::byte> bytes(facts->bytes.size());
    const auto got = file->readAt(Bytes(0), bytes);
    if (!got) {
        return fail(ErrorKind::input, fmt::format("the dictionary: {}", got.error().message));
    }
    ZstdDictionary dictionary;
    dictionary.ready.reset(
        ZSTD_createDDict_advanced(bytes.data(), *got, ZSTD_dlm_byCopy, ZSTD_dct_auto, countedZstdMemory()));
    if (!dictionary.ready) {
        return fail(
            ErrorKind::input,
            fmt::format("the dictionary {} is damaged: it begins like one, but libzstd can't read its "
                        "tables; get a good copy",
                        printable(path)));
    }
    dictionary.id = ZSTD_getDictID_fromDDict(dictionary.ready.get());
    return dictionary;
}

}  // namespace mmapscope
