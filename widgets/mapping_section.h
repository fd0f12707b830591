// The running arm's mapping as smaps shows it, and the process around it, each figure explained.
#pragma once

#include <QHash>
#include <QString>

#include "run/run_record.h"
#include "run/sample.h"
#include "study/observed_mapping.h"
#include "widgets/kernel_section.h"

namespace mmapscope {

class FactList;

class MappingSection : public KernelSection {
    Q_OBJECT

  public:
    explicit MappingSection(QWidget* parent = nullptr);

    /// Live figures of the running arm. Where the run reads no smaps, what its inspection run showed stands
    /// below them, said to be that. Cheap enough for every refresh.
    void setLive(const QString& armId, const Sample& latest);
    /// Largest figures of an arm's inspection run.
    void setInspection(const QString& armId, const RunRecord& run);
    /// Inspection runs are forgotten too.
    void clear();

  private:
    struct Figures;
    struct Inspected {
        MappingFacts facts;
        std::optional<HugeBacked> backed;
    };
    void name(const QString& armId);
    void showProcess(const Sample& figures, const QString& moment, const QString& why);
    void showMapping(const Figures& figures, const QString& moment, const QString& why);
    void showInspected(const Inspected& inspected);
    void showNoMapping(const QString& why);

    KernelLines* processMoment_;  ///< of when the figures are
    FactList* process_;
    KernelLines* moment_;
    KernelLines* huge_;  ///< eligible, and really huge
    FactList* facts_;
    KernelLines* flags_;  ///< VmFlags spelled out
    QHash<QString, Inspected> inspected_;
};

}  // namespace mmapscope
