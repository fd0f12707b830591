#include "workload/tick_scanner.h"

namespace mmapscope {

extern const TickScanner portableTickScanner;

const std::vector<const TickScanner*>& tickScanners() {
    static const std::vector<const TickScanner*> all{&portableTickScanner};
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
