// Throughput or a count against working-set size, both on log scales: a line and a band an arm.
#pragma once

#include <qcustomplot.h>

#include <optional>
#include <vector>

#include "study/study.h"
#include "widgets/theme.h"

namespace mmapscope {

/// One arm at one size.
struct SweepValue {
    Bytes size;
    double value = 0, low = 0, high = 0;  ///< median, least and most over the rounds
};
struct SweepLine {
    int arm = 0;
    QString id;
    std::vector<SweepValue> values;  ///< by size
};
/// A crossover as it is drawn: a band from one size to another.
struct SweepMark {
    int arm = 0;
    Bytes low, high;
};

class SweepChart : public QCustomPlot {
    Q_OBJECT

  public:
    explicit SweepChart(const QString& title, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// `cap`: a line where it is; nullopt: there was none.
    void setLines(std::vector<SweepLine> lines, std::vector<SweepMark> marks, std::optional<Bytes> cap,
                  const QString& unit);

  signals:
    /// The user clicked nearest to a point of that size.
    void sizeChosen(mmapscope::Bytes size);

  protected:
    void mouseReleaseEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void rebuild();
    void addLine(const SweepLine& line);
    void addMarks();
    void addNames();

    QString title_, unit_;
    std::vector<SweepLine> lines_;
    std::vector<SweepMark> marks_;
    std::optional<Bytes> cap_;
    Theme theme_;
};

}  // namespace mmapscope
