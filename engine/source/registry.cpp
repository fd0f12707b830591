#include <algorithm>

#include "source/source_types.h"

namespace mmapscope {

const std::vector<const SourceType*>& allSources() {
    // clang-format off
    static const std::vector<const SourceType*> all = {
        &readSource,
        &preadSource,
        &readHugebufSource,
        &mmapSource,
        &mmapSequentialSource,
        &mmapWillneedSource,
        &mmapPopulateSource,
        &mmapHugepageSource,
        &mmapCollapseSource,
        &mmapRandomSource,
        &mmapRetireSource,
        &mmapWindowSource,
        &mmapPrefetchSource,
        &preadPrefetchSource,
        &readThreadSource,
        &hugetlbCopySource,
        &hugetlbMemfdSource,
        &hugetlbStreamSource,
        &thpCopySource,
        &directSource,
        &ioUringSource,
        &memorySource,
    };
    // clang-format on
    return all;
}

const SourceType* findSource(std::string_view id) {
    const auto& all = allSources();
    const auto it =
        std::find_if(all.begin(), all.end(), [&](const SourceType* type) { return type->id == id; });
    return it == all.end() ? nullptr : *it;
}

}  // namespace mmapscope
