// How much of a file is in the page cache, and where: a strip from the file's begin to its end, and the
// share.
#pragma once

#include <QString>
#include <QWidget>
#include <vector>

namespace mmapscope {

class ResidencyBar : public QWidget {
    Q_OBJECT

  public:
    explicit ResidencyBar(QWidget* parent = nullptr);

    /// Shares 0 to 1 of equal parts of the file, from residencyMap. Empty: an empty file.
    void setMap(std::vector<float> map);
    /// Says why there is no figure ("not available: not your file"); never drawn as 0 or 100 %.
    void setUnavailable(const QString& why);

    /// What is written beside the strip: "100 %", "37.5 %", "not available: …".
    [[nodiscard]] QString text() const { return text_; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void describe();

    std::vector<float> map_;
    QString text_;
    bool available_ = false;
};

}  // namespace mmapscope
