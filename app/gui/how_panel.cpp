#include "app/gui/how_panel.h"

#include <QClipboard>
#include <QEvent>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/gui/text_colour.h"
#include "widgets/theme.h"

namespace mmapscope {

HowPanel::HowPanel(QWidget* parent) : QWidget(parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 4, 0, 0);
    layout->setSpacing(4);
    mechanism_ = new QLabel;
    mechanism_->setObjectName(QStringLiteral("armMechanism"));
    reason_ = new QLabel;
    reason_->setObjectName(QStringLiteral("armReason"));
    for (QLabel* label : {mechanism_, reason_}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Minimum);
        layout->addWidget(label);
    }

    command_ = new QLineEdit;
    command_->setObjectName(QStringLiteral("unlockCommand"));
    command_->setReadOnly(true);
    command_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    command_->setAccessibleName(tr("Command that makes this arm available"));
    copy_ = new QToolButton;
    copy_->setObjectName(QStringLiteral("copyCommand"));
    copy_->setText(tr("Copy"));
    copy_->setToolTip(tr("Copy the command; it is never run by this program"));
    copy_->setAccessibleDescription(copy_->toolTip());
    connect(copy_, &QToolButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(command_->text()); });
    commandRow_ = new QWidget;
    auto* row = new QHBoxLayout(commandRow_);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(command_, 1);
    row->addWidget(copy_);
    layout->addWidget(commandRow_);
    showArm({}, {}, {});
    restyle();
}

void HowPanel::showArm(const QString& mechanism, const QString& reason, const QString& command) {
    mechanism_->setText(mechanism);
    mechanism_->setVisible(reason.isEmpty());
    reason_->setText(reason.isEmpty() ? QString() : tr("Not available here: %1").arg(reason));
    reason_->setVisible(!reason.isEmpty());
    command_->setText(command);
    command_->setCursorPosition(0);
    commandRow_->setVisible(!command.isEmpty());
}

void HowPanel::focusCommand() {
    if (commandRow_->isVisibleTo(this)) {
        command_->setFocus(Qt::OtherFocusReason);
        command_->selectAll();
    }
}

void HowPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        restyle();
    }
}

void HowPanel::restyle() {
    const Theme theme = Theme::forPalette(palette());
    setTextColour(mechanism_, theme.mutedText());
    setTextColour(reason_, theme.warning());
}

}  // namespace mmapscope
