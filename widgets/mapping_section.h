// The running arm's mapping as smaps shows it, each field explained.
#pragma once

#include <QString>

#include "run/run_record.h"
#include "run/sample.h"
#include "widgets/kernel_section.h"

namespace mmapscope {

class FactList;

class MappingSection : public KernelSection {
    Q_OBJECT

  public:
    explicit MappingSection(QWidget* parent = nullptr);

    /// Live figures of the running arm. Cheap enough for every refresh.
    void setLive(const QString& armId, const Sample& latest);
    /// Largest figures smaps showed in an arm's inspection run.
    void setFacts(const QString& armId, const MappingFacts& facts);
    void clear();

  private:
    struct Figures;
    void enter(const QString& armId);
    void show(const Figures& figures, const QString& why);

    FactList* facts_;
    KernelLines* moment_;  ///< of when the figures are
    KernelLines* huge_;    ///< eligible, and really huge
    KernelLines* flags_;   ///< VmFlags spelled out
    QString armId_;
};

/// "THPeligible 0, and yet 88 % of what is resident is mapped by huge entries": the difference in words.
[[nodiscard]] QString hugeWords(std::optional<bool> eligible, std::optional<Bytes> huge,
                                std::optional<Bytes> rss);

}  // namespace mmapscope
