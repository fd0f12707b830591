// read(2) into one buffer, by the file cursor: the portable baseline.
#include "source/availability.h"
#include "source/heap_read_source.h"
#include "source/source_types.h"

namespace mmapscope {

const SourceType readSource{
    .id = "read",
    .summary = "read(2) into one heap buffer, by the file cursor: the portable baseline",
    .parameters = {bufferParameter("64KiB")},
    .traits = {},
    .availability = alwaysAvailable,
    .create = [](const Parameters& p) -> std::unique_ptr<Source> {
        return std::make_unique<HeapReadSource>(ReadBy::fileCursor, bytesOf(p, "buffer"));
    },
};

}  // namespace mmapscope
