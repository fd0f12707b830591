// How much of a file is in the page cache, and where: a strip from the file's begin to its end, and the
// share.
#pragma once

#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

#include "core/units.h"

namespace mmapscope {

class ResidencyBar : public QWidget {
    Q_OBJECT

  public:
    explicit ResidencyBar(QWidget* parent = nullptr);

    /// Shares 0 to 1 of equal parts of a file of `fileBytes`, from residencyMap or residencyPicture. Empty:
    /// an empty file. `whole`: the share of the whole file where it is known better than from its parts.
    void setMap(std::vector<float> map, Bytes fileBytes = {}, std::optional<double> whole = {});
    /// Says why there is no figure ("not available: not your file"); never drawn as 0 or 100 %.
    void setUnavailable(const QString& why);

    /// What is written beside the strip: "100 %", "37.5 %", "not available: …".
    [[nodiscard]] QString text() const { return text_; }
    /// In words, with the offset and the share at `x` where that is on the strip.
    [[nodiscard]] QString toolTipAt(int x) const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void describe();
    [[nodiscard]] QRect strip() const;
    /// The mean of the parts that a column of the strip covers.
    [[nodiscard]] double shareAt(int column, int columns) const;

    std::vector<float> map_;
    Bytes fileBytes_;
    QString text_;
    bool available_ = false;
};

}  // namespace mmapscope
