// One line across the window for what went wrong or what there is to know; it waits for nobody.
#pragma once

#include <QFrame>

class QLabel;
class QToolButton;

namespace mmapscope {

class MessageLine : public QFrame {
    Q_OBJECT
  public:
    enum class Kind { note, error };

    explicit MessageLine(QWidget* parent = nullptr);

    void showMessage(Kind kind, const QString& text);
    void dismiss();
    [[nodiscard]] QString text() const { return text_; }

  protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void restyle();
    void elide();

    Kind kind_ = Kind::note;
    QString text_;
    QLabel* label_;
    QToolButton* close_;
};

}  // namespace mmapscope
