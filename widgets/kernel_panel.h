// Kernel: THP settings, the huge-page pools, and the running arm's mapping as smaps shows it, each explained.
#pragma once

#include <QString>
#include <QWidget>
#include <memory>
#include <vector>

#include "probe/behaviours.h"
#include "probe/cpu_tlb.h"
#include "probe/huge_pages.h"
#include "probe/perf_events.h"
#include "run/run_record.h"
#include "run/sample.h"
#include "study/study.h"

namespace mmapscope {

class KernelPanel : public QWidget {
    Q_OBJECT

  public:
    explicit KernelPanel(QWidget* parent = nullptr);
    ~KernelPanel() override;

    void setThp(const ThpSettings& settings);
    /// All sizes the kernel offers; the first of 2 MiB (else the first) is drawn as a gauge, the others as a
    /// line.
    void setPools(const std::vector<PoolFacts>& pools);
    void setTlb(const TlbGeometry& tlb);
    void setCounters(const std::vector<CounterFinding>& counters);
    /// What kernel and filesystem do with the file, as observed before any run.
    void setBehaviours(const std::vector<Behaviour>& behaviours);
    /// What the study's inspection runs showed of mappings by huge entries: pageCacheByHugeEntries().
    void setHugeEntries(const Behaviour& observed);

    /// Live figures of the running arm. Cheap enough for every refresh.
    void setMapping(const QString& armId, const Sample& latest);
    /// Largest figures of an arm's inspection run.
    void setInspection(const QString& armId, const RunRecord& run);
    /// Of the same arm's inspection run; nullopt: it has none.
    void setResidency(const std::optional<ResidencyHistory>& history);
    /// Residency goes with it.
    void clearMapping();

  signals:
    /// The user wants huge pages reserved.
    void reserveWanted();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    class Private;
    std::unique_ptr<Private> d_;
};

}  // namespace mmapscope
