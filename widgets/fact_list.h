// Named facts under each other, each explained in its tool tip.
#pragma once

#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

class QGridLayout;
class QLabel;

namespace mmapscope {

class FactList : public QWidget {
    Q_OBJECT

  public:
    explicit FactList(QWidget* parent = nullptr);

    /// Returns the fact's index. `help`: what it means, in plain words.
    std::size_t add(const QString& name, const QString& help);
    /// nullopt: not available here, said so and never shown as 0. `absentReason` goes into the tool tip.
    void set(std::size_t fact, const std::optional<QString>& value, const QString& absentReason = {});
    /// Nothing known yet: a dash.
    void reset(std::size_t fact);
    [[nodiscard]] QString valueOf(std::size_t fact) const;

  protected:
    void changeEvent(QEvent* event) override;

  private:
    struct Fact {
        QString name, help;
        QLabel* title;
        QLabel* value;
        bool known = false;
    };
    void show(Fact& fact, const QString& text, const QString& toolTip, bool known);
    void color(const Fact& fact) const;

    QGridLayout* layout_;
    std::vector<Fact> facts_;
};

}  // namespace mmapscope
