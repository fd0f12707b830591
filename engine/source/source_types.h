// The registry's entries, each defined in the file of its name.
#pragma once

#include "source/source.h"

namespace mmapscope {

extern const SourceType readSource;
extern const SourceType preadSource;
extern const SourceType readHugebufSource;
extern const SourceType mmapSource;
extern const SourceType mmapSequentialSource;
extern const SourceType mmapWillneedSource;
extern const SourceType mmapPopulateSource;
extern const SourceType mmapHugepageSource;
extern const SourceType mmapCollapseSource;
extern const SourceType mmapRandomSource;
extern const SourceType mmapRetireSource;
extern const SourceType mmapWindowSource;
extern const SourceType mmapPrefetchSource;
extern const SourceType preadPrefetchSource;
extern const SourceType readThreadSource;
extern const SourceType hugetlbCopySource;
extern const SourceType hugetlbMemfdSource;
extern const SourceType hugetlbStreamSource;
extern const SourceType thpCopySource;
extern const SourceType directSource;
extern const SourceType ioUringSource;
extern const SourceType memorySource;

}  // namespace mmapscope
