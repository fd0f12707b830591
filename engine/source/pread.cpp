// pread(2) into one buffer a thread: all threads share the descriptor.
#include "source/availability.h"
#include "source/heap_read_source.h"
#include "source/source_types.h"

namespace mmapscope {

const SourceType preadSource{
    .id = "pread",
    .summary = "pread(2) into one heap buffer a thread: positional, so that threads share one descriptor",
    .parameters = {bufferParameter("4MiB")},
    .traits = {},
    .availability = alwaysAvailable,
    .create = [](const Parameters& p) -> std::unique_ptr<Source> {
        return std::make_unique<HeapReadSource>(ReadBy::offset, bytesOf(p, "buffer"));
    },
};

}  // namespace mmapscope
