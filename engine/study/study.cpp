#include "study/study.h"

namespace mmapscope {

std::string_view name(Verdict verdict) {
    switch (verdict) {
        case Verdict::baseline:
            return "baseline";
        case Verdict::faster:
            return "faster";
        case Verdict::slower:
            return "slower";
        case Verdict::tied:
            return "tied";
        case Verdict::unranked:
            break;
    }
    return "unranked";
}

}  // namespace mmapscope
