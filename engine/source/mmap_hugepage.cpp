// One mapping with MADV_HUGEPAGE. For a file it changes how a page that isn't cached is read, not how one
// that is cached is mapped (Documentation/admin-guide/mm/transhuge.rst).
#include <sys/mman.h>

#include "source/availability.h"
#include "source/mapped_file.h"
#include "source/source_types.h"

namespace mmapscope {

const SourceType mmapHugepageSource{
    .id = "mmap-hugepage",
    .summary = "mmap(2) of the whole file and MADV_HUGEPAGE",
    .parameters = {},
    .traits = {.mapsFile = true},
    .availability =
        [](const FileFacts& file, const Parameters& parameters, Range range, unsigned threads) {
            const Availability answer = somethingToMap(file, parameters, range, threads);
            return answer.available ? knowsAdvice(MADV_HUGEPAGE, "MADV_HUGEPAGE", "2.6.38 built with it")
                                    : answer;
        },
    .create = [](const Parameters&) { return advisedMapping(MADV_HUGEPAGE); },
};

}  // namespace mmapscope
