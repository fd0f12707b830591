// Under Live: what of the file was cached before, during and after each arm's inspection run.
#pragma once

#include <QLabel>
#include <cstdint>
#include <map>

#include "study/study.h"
#include "widgets/kernel_section.h"

class QScrollArea;
class QVBoxLayout;

namespace mmapscope {

class ResidencyHistoryView;

class ResidencySection : public KernelSection {
    Q_OBJECT

  public:
    explicit ResidencySection(QWidget* parent = nullptr);

    /// Every arm's latest good inspection run that was looked at; nothing of an arm that had none.
    void setStudy(const Study& study);
    void clear();
    void setArmVisible(std::uint32_t arm, bool visible);
    /// In the colours of the palette as it is now.
    void restyle();

  private:
    [[nodiscard]] ResidencyHistoryView* viewOf(std::uint32_t arm);
    void fit();

    QScrollArea* scroll_;
    QWidget* inside_;
    QVBoxLayout* layout_;
    QLabel* none_;
    std::map<std::uint32_t, ResidencyHistoryView*> views_;  ///< by arm
};

}  // namespace mmapscope
