// What of the file was cached before, during and after an arm's inspection run.
#pragma once

#include <QWidget>
#include <optional>

#include "run/residency_history.h"

namespace mmapscope {

class Theme;

/// The file from left to right: a strip for before the run, time going down through the looks in between, a
/// strip for after it.
class ResidencyHistoryView : public QWidget {
    Q_OBJECT

  public:
    explicit ResidencyHistoryView(QWidget* parent = nullptr);

    /// nullopt: no run yet. Drawn in the colour of the arm of that index; `title` stands before the words.
    void setHistory(std::optional<ResidencyHistory> history, int arm = 0, const QString& title = {});
    [[nodiscard]] QString title() const { return title_; }
    /// "before 0 %, after 100 %": what is shown, in words.
    [[nodiscard]] QString text() const;
    [[nodiscard]] QString toolTipAt(const QPoint& at) const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    /// Where the strips lie: `during` is empty without looks in between.
    struct Places {
        QRect before, during, after;
    };
    [[nodiscard]] Places places() const;
    [[nodiscard]] bool hasDuring() const { return history_ && history_->looks.size() > 2; }
    [[nodiscard]] int gutter() const;
    /// The look nearest in time to a line of `during`.
    [[nodiscard]] std::size_t lookAt(const QRect& during, int y) const;
    [[nodiscard]] QRgb colourOf(const ResidencyHistory::Look& look, std::size_t cell) const;
    [[nodiscard]] QImage imageOf(const ResidencyHistory::Look& look) const;
    void paintWords(QPainter& painter, const Theme& theme) const;
    void paintLabels(QPainter& painter, const Places& places) const;

    std::optional<ResidencyHistory> history_;
    int arm_ = 0;
    QString title_;
};

}  // namespace mmapscope
