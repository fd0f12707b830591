#include <algorithm>

#include "source/source_types.h"

namespace mmapscope {

const std::vector<const SourceType*>& allSources() {
    static const std::vector<const SourceType*> all = {
        &readSource,            //
        &preadSource,           //
        &mmapSource,            //
        &mmapSequentialSource,
        &mmapWillneedSource,    //
        &mmapPopulateSource,    //
        &mmapRetireSource,      //
        &mmapWindowSource,      //
        &hugetlbMemfdSource,    //
        &memorySource,          //
    };
    return all;
}

const SourceType* findSource(std::string_view id) {
    const auto& all = allSources();
    const auto it =
        std::find_if(all.begin(), all.end(), [&](const SourceType* type) { return type->id == id; });
    return it == all.end() ? nullptr : *it;
}

}  // namespace mmapscope
