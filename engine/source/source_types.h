// The registry's entries, each defined in the file of its name.
#pragma once

#include "source/source.h"

namespace mmapscope {

extern const SourceType readSource;
extern const SourceType preadSource;
extern const SourceType mmapSource;
extern const SourceType mmapSequentialSource;
extern const SourceType mmapWillneedSource;
extern const SourceType mmapPopulateSource;
extern const SourceType mmapRetireSource;
extern const SourceType mmapWindowSource;
extern const SourceType hugetlbMemfdSource;
extern const SourceType memorySource;

}  // namespace mmapscope
