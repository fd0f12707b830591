// One mapping of the file, no advice: what a program gets that only calls mmap(2).
#include "source/availability.h"
#include "source/mapped_file.h"
#include "source/source_types.h"

namespace mmapscope {

const SourceType mmapSource{
    .id = "mmap",
    .summary = "mmap(2) of the whole file, MAP_PRIVATE, no advice: the naive mapping",
    .parameters = {},
    .traits = {.mapsFile = true},
    .availability = somethingToMap,
    .create = [](const Parameters&) { return advisedMapping(0); },
};

}  // namespace mmapscope
