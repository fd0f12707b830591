// Once a second: the THP switches and the huge-page pools, read on another thread.
#pragma once

#include <QObject>
#include <QTimer>
#include <vector>

#include "probe/huge_pages.h"
#include "study/study.h"
#include "widgets/background_job.h"

namespace mmapscope {

class KernelFeed : public QObject {
    Q_OBJECT
  public:
    explicit KernelFeed(QObject* parent = nullptr);

  signals:
    void thpRead(const mmapscope::ThpSettings& settings);
    void poolsRead(const std::vector<mmapscope::PoolFacts>& pools);

  private:
    void look();

    QTimer timer_;
    BackgroundJob job_;
};

}  // namespace mmapscope
