#include "widgets/traced_run.h"

#include <algorithm>
#include <numeric>

#include "study/fault_pattern.h"

namespace mmapscope {

namespace {

std::shared_ptr<const FaultTrace> sortedByTime(const FaultTrace& trace) {
    std::vector<std::size_t> order(trace.tNs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return trace.tNs[a] < trace.tNs[b]; });
    auto sorted = std::make_shared<FaultTrace>();
    sorted->lost = trace.lost;
    sorted->userOnly = trace.userOnly;
    for (const std::size_t i : order) {
        sorted->tNs.push_back(trace.tNs[i]);
        sorted->offset.push_back(trace.offset[i]);
        sorted->major.push_back(trace.major[i]);
        sorted->thread.push_back(trace.thread[i]);
    }
    return sorted;
}

}  // namespace

TracedRun::TracedRun(std::shared_ptr<const Study> study, std::size_t run)
    : study_(std::move(study)), run_(run) {
    const FaultTrace& trace = *study_->runs[run_].faultTrace;
    if (!std::is_sorted(trace.tNs.begin(), trace.tNs.end())) {
        sorted_ = sortedByTime(trace);
    }
}

Bytes TracedRun::page() const {
    const Bytes page = study_->environment.page;
    return page.isZero() ? pageSize() : page;
}

double TracedRun::lastByte() const {
    double last = static_cast<double>(readBytes().count());
    for (const std::uint64_t offset : trace().offset) {
        if (offset != FaultTrace::kElsewhere) {
            last = std::max(last, static_cast<double>(offset) + 1);
        }
    }
    return last;
}

Bytes TracedRun::readBytes() const {
    const Plan& plan = study_->plan;
    return plan.limit ? std::min(*plan.limit, plan.fileBytes) : plan.fileBytes;
}

bool TracedRun::isSameRun(const TracedRun& other) const {
    // A trace that was moved with its run keeps its storage; one of a study that was copied keeps its place.
    const auto& a = run();
    const auto& b = other.run();
    return a.arm == b.arm && a.round == b.round && a.phase == b.phase && a.wall == b.wall &&
           a.faultTrace->tNs.size() == b.faultTrace->tNs.size() && a.faultTrace->lost == b.faultTrace->lost &&
           arm().id == other.arm().id && study_->plan.file == other.study_->plan.file &&
           study_->plan.orderSeed == other.study_->plan.orderSeed;
}

std::vector<TracedRun> tracedRuns(const std::shared_ptr<const Study>& study) {
    std::vector<TracedRun> runs;
    for (std::uint32_t arm = 0; study != nullptr && arm < study->arms.size(); ++arm) {
        if (const RunRecord* const run = tracedRun(*study, arm)) {
            runs.emplace_back(study, static_cast<std::size_t>(run - study->runs.data()));
        }
    }
    return runs;
}

}  // namespace mmapscope
