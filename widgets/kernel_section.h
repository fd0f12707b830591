// A part of the Kernel dock that can be folded away.
#pragma once

#include <QWidget>

class QToolButton;
class QVBoxLayout;

namespace mmapscope {

class KernelSection : public QWidget {
    Q_OBJECT

  public:
    explicit KernelSection(const QString& title, bool open, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    [[nodiscard]] QString title() const;
    [[nodiscard]] bool isOpen() const;
    void setOpen(bool open);
    void addWidget(QWidget* widget);

  private:
    QToolButton* head_;
    QWidget* body_;
    QVBoxLayout* layout_;
};

/// Lines of text that wrap and can be selected; outside text is shown as it is.
class KernelLines : public QWidget {
    Q_OBJECT

  public:
    explicit KernelLines(const QString& accessibleName, QWidget* parent = nullptr);

    struct Line {
        QString text;
        QString help;        ///< tool tip
        bool muted = false;  ///< not available, or only a remark
        bool strong = false;
        bool operator==(const Line&) const = default;
    };
    void setLines(const QList<Line>& lines);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void restyle();

    QVBoxLayout* layout_;
    QList<Line> lines_;
};

}  // namespace mmapscope
