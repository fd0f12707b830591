// One mapping with MADV_RANDOM: no readahead, so that every page that isn't cached waits for the device
// alone.
#include <sys/mman.h>

#include "source/availability.h"
#include "source/mapped_file.h"
#include "source/source_types.h"

namespace mmapscope {

const SourceType mmapRandomSource{
    .id = "mmap-random",
    .summary = "mmap(2) of the whole file and MADV_RANDOM, which turns readahead off: for teaching",
    .parameters = {},
    .traits = {.mapsFile = true},
    .availability = somethingToMap,
    .create = [](const Parameters&) { return advisedMapping(MADV_RANDOM); },
};

}  // namespace mmapscope
