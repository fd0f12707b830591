// One mapping with MADV_SEQUENTIAL: readahead looks further ahead and pages behind are given up sooner.
#include <sys/mman.h>

#include "source/availability.h"
#include "source/mapped_file.h"
#include "source/source_types.h"

namespace mmapscope {

const SourceType mmapSequentialSource{
    .id = "mmap-sequential",
    .summary = "mmap(2) of the whole file and MADV_SEQUENTIAL",
    .parameters = {},
    .traits = {.mapsFile = true},
    .availability = somethingToMap,
    .create = [](const Parameters&) { return advisedMapping(MADV_SEQUENTIAL); },
};

}  // namespace mmapscope
