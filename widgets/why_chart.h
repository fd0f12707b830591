// Why: a stacked bar an arm of where its wall time went, and a sentence each.
#pragma once

#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

#include "study/study.h"
#include "widgets/theme.h"

namespace mmapscope {

/// One piece of a bar, in nanoseconds from the bar's beginning.
struct WhySegment {
    QString name;  ///< the part's, or "unexplained"
    double begin = 0, end = 0;
    bool takesBack = false;  ///< a negative part: what the others hold too much, up to the wall time
    QString toolTip;
    /// Where the part's insides end, in order; empty when it has less than two.
    std::vector<double> insides;
};

/// What is drawn of one attribution.
struct WhyBar {
    std::uint32_t arm = 0;
    QString id;
    double wall = 0;
    double length = 0;   ///< of all that is drawn, at least the wall time
    double overlap = 0;  ///< CPU time of helper threads, drawn beside
    std::vector<WhySegment> segments;
};
/// Parts above zero follow each other from 0; those below take back from the end, so that the wall time is
/// where both meet.
[[nodiscard]] WhyBar whyBar(const Study& study, const Attribution& attribution);

class WhyChart : public QWidget {
    Q_OBJECT

  public:
    explicit WhyChart(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// Empty: `notice` stands there instead.
    void setBars(std::vector<WhyBar> bars, const QString& notice);
    [[nodiscard]] const std::vector<WhyBar>& bars() const { return bars_; }
    /// The tool tip at a place; empty beside the bars.
    [[nodiscard]] QString toolTipAt(const QPoint& at) const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    struct Place;
    [[nodiscard]] Place place() const;
    [[nodiscard]] QRectF barRect(const Place& place, std::size_t row) const;
    void paintBar(QPainter& painter, const Place& place, std::size_t row) const;
    void paintSegment(QPainter& painter, const QRectF& rect, const WhySegment& segment, double scale) const;
    void paintAxis(QPainter& painter, const Place& place) const;
    void paintKey(QPainter& painter, const Place& place) const;
    [[nodiscard]] QColor colorOf(const QString& name) const;
    [[nodiscard]] QStringList shownNames() const;

    std::vector<WhyBar> bars_;
    QString notice_;
    Theme theme_;
};

/// "9.07 ms": three significant digits.
[[nodiscard]] QString whyTime(double ns);

}  // namespace mmapscope
