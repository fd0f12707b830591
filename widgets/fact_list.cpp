#include "widgets/fact_list.h"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>

#include "widgets/text.h"
#include "widgets/theme.h"

namespace mmapscope {

FactList::FactList(QWidget* parent) : QWidget(parent), layout_(new QGridLayout(this)) {
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setHorizontalSpacing(12);
    layout_->setVerticalSpacing(3);
    layout_->setColumnStretch(1, 1);
}

std::size_t FactList::add(const QString& name, const QString& help) {
    Fact fact{name, help, new QLabel(name, this), new QLabel(this)};
    fact.title->setToolTip(help);
    fact.value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    fact.value->setFont(tabularFont(font()));
    fact.value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    const int row = static_cast<int>(facts_.size());
    layout_->addWidget(fact.title, row, 0);
    layout_->addWidget(fact.value, row, 1);
    facts_.push_back(fact);
    reset(facts_.size() - 1);
    return facts_.size() - 1;
}

void FactList::set(std::size_t index, const std::optional<QString>& value, const QString& absentReason) {
    Fact& fact = facts_[index];
    if (value) {
        show(fact, *value, fact.help, true);
    } else {
        const QString why = absentReason.isEmpty() ? tr("not available here")
                                                   : tr("not available here: %1").arg(absentReason);
        show(fact, tr("not available here"), tr("%1\n%2").arg(why, fact.help), false);
    }
}

void FactList::reset(std::size_t index) {
    show(facts_[index], QStringLiteral("–"), facts_[index].help, false);
}

QString FactList::valueOf(std::size_t fact) const {
    return facts_[fact].value->text();
}

void FactList::show(Fact& fact, const QString& text, const QString& toolTip, bool known) {
    const bool recolor = known != fact.known || fact.value->text().isEmpty();
    if (fact.value->text() == text && fact.value->toolTip() == toolTip && !recolor) {
        return;
    }
    fact.known = known;
    fact.value->setText(text);
    fact.value->setToolTip(toolTip);
    fact.value->setAccessibleName(tr("%1: %2").arg(fact.name, text));
    fact.value->setAccessibleDescription(toolTip);
    if (recolor) {
        color(fact);
    }
}

void FactList::color(const Fact& fact) const {
    const Theme theme = Theme::forPalette(palette());
    const auto dye = [](QLabel* label, const QColor& ink) {
        QPalette own = label->palette();
        own.setColor(QPalette::WindowText, ink);
        label->setPalette(own);
    };
    dye(fact.title, theme.mutedText());
    dye(fact.value, fact.known ? theme.text() : theme.mutedText());
}

void FactList::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        for (const Fact& fact : facts_) {
            color(fact);
        }
    }
}

}  // namespace mmapscope
