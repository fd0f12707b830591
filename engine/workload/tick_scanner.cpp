#include "workload/tick_scanner.h"

namespace mmapscope {

#if defined(__x86_64__)
extern const TickScanner avx512TickScanner;
extern const TickScanner avx2TickScanner;
#endif
extern const TickScanner portableTickScanner;

const std::vector<const TickScanner*>& tickScanners() {
    static const std::vector<const TickScanner*> all {
#if defined(__x86_64__)
        &avx512TickScanner, &avx2TickScanner,
#endif
            &portableTickScanner
    };
    return all;
}

const TickScanner& bestTickScanner(const TickPlan& plan) {
    for (const TickScanner* scanner : tickScanners()) {
        if (scanner->supported(plan)) {
            return *scanner;
        }
    }
    return portableTickScanner;
}

}  // namespace mmapscope
