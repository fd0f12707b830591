#include "app/gui/kernel_feed.h"

#include "probe/system_facts.h"

namespace mmapscope {
namespace {

using namespace std::chrono_literals;

struct Seen {
    ThpSettings thp;
    std::vector<PoolFacts> pools;
};

std::optional<std::string> choiceIn(const char* file) {
    // Documentation/admin-guide/mm/transhuge.rst
    const auto text = readKernelText(std::string("/sys/kernel/mm/transparent_hugepage/") + file);
    return text ? bracketedChoice(*text) : std::nullopt;
}

}  // namespace

KernelFeed::KernelFeed(QObject* parent) : QObject(parent) {
    timer_.setInterval(1s);
    connect(&timer_, &QTimer::timeout, this, &KernelFeed::look);
    timer_.start();
    look();
}

void KernelFeed::look() {
    if (job_.busy()) {
        return;
    }
    job_.start(
        [](BackgroundJob::Link&) {
            return Seen{{choiceIn("enabled"), choiceIn("defrag"), choiceIn("shmem_enabled")}, allPools()};
        },
        [this](const Seen& seen) {
            emit thpRead(seen.thp);
            emit poolsRead(seen.pools);
        });
}

}  // namespace mmapscope
