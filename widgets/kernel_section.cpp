#include "widgets/kernel_section.h"

#include <QEvent>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/theme.h"

namespace mmapscope {

KernelSection::KernelSection(const QString& title, bool open, QWidget* parent)
    : QWidget(parent), head_(new QToolButton(this)), body_(new QWidget(this)) {
    head_->setAutoRaise(true);
    head_->setCheckable(true);
    head_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    // A long title is cut and its tool tip whole: it must not widen the dock.
    head_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    QFont bold = head_->font();
    bold.setBold(true);
    head_->setFont(bold);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 4, 0, 2);
    outer->setSpacing(2);
    outer->addWidget(head_);
    outer->addWidget(body_);
    layout_ = new QVBoxLayout(body_);
    layout_->setContentsMargins(8, 0, 0, 0);
    layout_->setSpacing(4);
    connect(head_, &QToolButton::toggled, this, [this](bool on) {
        body_->setVisible(on);
        head_->setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
    });
    setTitle(title);
    head_->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    head_->setChecked(open);
    body_->setVisible(open);
}

void KernelSection::setTitle(const QString& title) {
    head_->setText(title);
    head_->setToolTip(title);
}

QString KernelSection::title() const {
    return head_->text();
}

bool KernelSection::isOpen() const {
    return head_->isChecked();
}

void KernelSection::setOpen(bool open) {
    head_->setChecked(open);
}

void KernelSection::addWidget(QWidget* widget) {
    layout_->addWidget(widget);
}

KernelLines::KernelLines(const QString& accessibleName, QWidget* parent)
    : QWidget(parent), layout_(new QVBoxLayout(this)) {
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setSpacing(2);
    setObjectName(accessibleName);
}

void KernelLines::setLines(const QList<Line>& lines) {
    if (lines == lines_ && layout_->count() == lines.size()) {
        return;
    }
    lines_ = lines;
    while (layout_->count() > lines.size()) {
        delete layout_->takeAt(layout_->count() - 1)->widget();
    }
    while (layout_->count() < lines.size()) {
        auto* label = new QLabel(this);
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        layout_->addWidget(label);
    }
    for (int i = 0; i < lines.size(); ++i) {
        auto* const label = static_cast<QLabel*>(layout_->itemAt(i)->widget());
        label->setText(lines[i].text);
        label->setToolTip(lines[i].help);
        label->setAccessibleDescription(lines[i].help);
    }
    restyle();
}

void KernelLines::restyle() {
    const Theme theme = Theme::forPalette(palette());
    for (int i = 0; i < lines_.size(); ++i) {
        QWidget* const label = layout_->itemAt(i)->widget();
        QPalette own = label->palette();
        own.setColor(QPalette::WindowText, lines_[i].muted ? theme.mutedText() : theme.text());
        label->setPalette(own);
        QFont face = font();
        face.setBold(lines_[i].strong);
        label->setFont(face);
    }
}

void KernelLines::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        restyle();
    }
}

}  // namespace mmapscope
