// About the arm under the cursor: its mechanism, or why it can't run here and the command that changes that.
#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace mmapscope {

class HowPanel : public QWidget {
    Q_OBJECT
  public:
    explicit HowPanel(QWidget* parent = nullptr);

    /// An empty `reason` means that it can run; an empty `command` that nothing would help.
    void showArm(const QString& mechanism, const QString& reason, const QString& command);
    /// Puts the keyboard on the command, to be read or copied.
    void focusCommand();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void restyle();

    QLabel* mechanism_;
    QLabel* reason_;
    QWidget* commandRow_;
    QLineEdit* command_;
    QToolButton* copy_;
};

}  // namespace mmapscope
