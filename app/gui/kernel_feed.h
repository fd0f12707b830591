// What the Kernel dock shows, read on other threads: once a second the THP switches and the huge-page pools,
// once the CPU's TLB and counters, and for each file what kernel and filesystem do with it.
#pragma once

#include <QObject>
#include <QTimer>
#include <vector>

#include "probe/behaviours.h"
#include "probe/cpu_tlb.h"
#include "probe/huge_pages.h"
#include "study/study.h"
#include "widgets/background_job.h"

namespace mmapscope {

class KernelFeed : public QObject {
    Q_OBJECT
  public:
    explicit KernelFeed(QObject* parent = nullptr);

    /// Observes what kernel and filesystem do with this file; not while something is measured.
    void observe(const FileFacts& file);

  signals:
    void thpRead(const mmapscope::ThpSettings& settings);
    void poolsRead(const std::vector<mmapscope::PoolFacts>& pools);
    /// Once: they don't change while the machine is up.
    void machineRead(const mmapscope::TlbGeometry& tlb,
                     const std::vector<mmapscope::CounterFinding>& counters);
    void observed(const std::vector<mmapscope::Behaviour>& behaviours);

  private:
    void look();

    QTimer timer_;
    BackgroundJob job_, machineJob_, observeJob_;
};

}  // namespace mmapscope
