// Why: a stacked bar an arm of where its wall time went. Each piece is explained by its tool tip or, by
// keyboard, in words to whoever listens to `chosen`.
#pragma once

#include <QBrush>
#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

#include "widgets/theme.h"
#include "widgets/why_bar.h"

namespace mmapscope {

class WhyChart : public QWidget {
    Q_OBJECT

  public:
    explicit WhyChart(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// Empty: `notice` stands there instead.
    void setBars(std::vector<WhyBar> bars, const QString& notice);
    [[nodiscard]] const std::vector<WhyBar>& bars() const { return bars_; }
    [[nodiscard]] QString notice() const { return notice_; }
    /// The tool tip at a place; empty beside the bars.
    [[nodiscard]] QString toolTipAt(const QPoint& at) const;
    /// What is said of the chosen piece; empty when none is.
    [[nodiscard]] QString chosenWords() const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

    /// What it shows, on any device, from 0 in its own size.
    void paint(QPainter& painter) const;

  signals:
    /// A piece was chosen by click or key; chosenWords() tells it.
    void chosen();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

  private:
    /// Of a row, from top to bottom: what ran beside, the bar, what takes back.
    struct Place {
        int left = 0;      ///< of the bars
        double width = 0;  ///< of the longest bar
        int top = 0;       ///< of the first row
        double row = 0, bar = 0, lane = 0;
        double scale = 0;  ///< pixels a nanosecond
    };
    /// Pieces of a bar: its segments, then what ran beside.
    struct Piece {
        std::size_t row = 0, index = 0;
    };
    struct KeyEntry {
        QString words;
        QBrush brush;
        QColor frame;
        QRect box;
    };
    [[nodiscard]] Place place() const;
    [[nodiscard]] std::vector<KeyEntry> keyEntries() const;
    [[nodiscard]] QRectF rectOf(const Place& place, const Piece& piece) const;
    [[nodiscard]] std::size_t pieces(std::size_t row) const;
    [[nodiscard]] const WhySegment& segmentOf(const Piece& piece) const;
    [[nodiscard]] std::optional<Piece> pieceAt(const QPoint& at) const;
    [[nodiscard]] bool takesAnyBack() const;
    [[nodiscard]] QString figuresOf(const WhyBar& bar) const;
    void choose(std::optional<Piece> piece);
    void describe();
    void paintBar(QPainter& painter, const Place& place, std::size_t row) const;
    void paintSegment(QPainter& painter, const QRectF& rect, const WhySegment& segment, double scale) const;
    void paintLabel(QPainter& painter, const QRectF& rect, const WhySegment& segment) const;
    void paintAxis(QPainter& painter, const Place& place) const;
    void paintKey(QPainter& painter) const;

    std::vector<WhyBar> bars_;
    QString notice_;
    Theme theme_;
    std::optional<Piece> chosen_;
};

}  // namespace mmapscope
