// Under Live: what of the file was cached before, during and after each arm's inspection run.
#pragma once

#include <QLabel>
#include <cstdint>
#include <vector>

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

    /// Every arm's latest inspection run that was looked at; none of an arm that had none.
    void setStudy(const Study& study);
    void clear();
    void setArmVisible(std::uint32_t arm, bool visible);
    /// In the colours of the palette as it is now.
    void restyle();

  private:
    struct Row {
        std::uint32_t arm = 0;
        QLabel* name = nullptr;
        ResidencyHistoryView* view = nullptr;
    };
    Row& rowOf(std::uint32_t arm);
    void fit();

    QScrollArea* scroll_;
    QWidget* inside_;
    QVBoxLayout* layout_;
    QLabel* none_;
    std::vector<Row> rows_;  ///< by arm
};

}  // namespace mmapscope
