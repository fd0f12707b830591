#include "app/gui/kernel_feed.h"

#include <utility>

namespace mmapscope {
namespace {

using namespace std::chrono_literals;

struct Seen {
    ThpSettings thp;
    std::vector<PoolFacts> pools;
};

}  // namespace

KernelFeed::KernelFeed(QObject* parent) : QObject(parent) {
    timer_.setInterval(1s);
    connect(&timer_, &QTimer::timeout, this, &KernelFeed::look);
    timer_.start();
    look();
    machineJob_.start(
        [](BackgroundJob::Link&) {
            return std::pair{tlbGeometry(), lookAtCounters()};
        },
        [this](const auto& seen) { emit machineRead(seen.first, seen.second); });
}

void KernelFeed::observe(const FileFacts& file) {
    observeJob_.start([file](BackgroundJob::Link&) { return observeBehaviours(file); },
                      [this](const std::vector<Behaviour>& seen) { emit observed(seen); });
}

void KernelFeed::look() {
    if (job_.busy()) {
        return;
    }
    job_.start(
        [](BackgroundJob::Link&) {
            return Seen{readThpSettings(), allPools()};
        },
        [this](const Seen& seen) {
            emit thpRead(seen.thp);
            emit poolsRead(seen.pools);
        });
}

}  // namespace mmapscope
