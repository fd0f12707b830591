#include "app/gui/message_line.h"

#include <QAccessible>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QStyle>
#include <QToolButton>

#include "app/gui/text_colour.h"
#include "widgets/theme.h"

namespace mmapscope {

MessageLine::MessageLine(QWidget* parent) : QFrame(parent), label_(new QLabel), close_(new QToolButton) {
    setObjectName(QStringLiteral("messageLine"));
    setFrameShape(QFrame::NoFrame);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(10, 5, 6, 5);
    layout->addWidget(label_, 1);
    layout->addWidget(close_);
    label_->setTextFormat(Qt::PlainText);
    label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    close_->setIcon(style()->standardIcon(QStyle::SP_TitleBarCloseButton));
    close_->setAutoRaise(true);
    close_->setAccessibleName(tr("Dismiss the message"));
    close_->setToolTip(tr("Dismiss"));
    connect(close_, &QToolButton::clicked, this, &MessageLine::dismiss);
    hide();
}

void MessageLine::showMessage(Kind kind, const QString& text) {
    kind_ = kind;
    text_ = text.simplified();
    setAccessibleName(text_);
    label_->setToolTip(text_);
    restyle();
    show();
    elide();
    QAccessibleEvent alert(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

void MessageLine::dismiss() {
    text_.clear();
    hide();
}

void MessageLine::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && isVisible()) {
        restyle();
    }
}

void MessageLine::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    elide();
}

void MessageLine::restyle() {
    const Theme theme = Theme::forPalette(palette());
    setTextColour(label_, kind_ == Kind::error ? theme.bad() : theme.text());
}

void MessageLine::elide() {
    label_->setText(label_->fontMetrics().elidedText(text_, Qt::ElideRight, label_->width()));
}

}  // namespace mmapscope
