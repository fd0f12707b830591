// The switches of transparent huge pages, and below them, folded away, those of every folio size.
#pragma once

#include "probe/thp.h"
#include "widgets/kernel_section.h"

namespace mmapscope {

class FactList;
class ThpSizeTable;

class ThpSection : public KernelSection {
    Q_OBJECT

  public:
    explicit ThpSection(QWidget* parent = nullptr);

    void setSettings(const ThpSettings& settings);

  private:
    FactList* facts_;
    KernelSection* bySize_;
    ThpSizeTable* table_;
    KernelLines* why_;
};

}  // namespace mmapscope
