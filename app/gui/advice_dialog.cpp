#include "app/gui/advice_dialog.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "report/advice_text.h"

namespace mmapscope {

AdviceDialog::AdviceDialog(const std::string& file, const std::string& workload, const Parameters& parameters,
                           QWidget* parent)
    : QDialog(parent),
      head_(new QLabel(tr("Looking at the file, its cache and its storage…"), this)),
      why_(new QPlainTextEdit(this)),
      measure_(new QPushButton(tr("&Measure it"), this)) {
    setWindowTitle(tr("Advice – mmapscope"));
    QFont large = head_->font();
    large.setBold(true);
    head_->setFont(large);
    head_->setWordWrap(true);
    head_->setTextFormat(Qt::PlainText);
    head_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    why_->setReadOnly(true);
    why_->setFrameShape(QFrame::NoFrame);
    why_->setAccessibleName(tr("Reasons"));
    measure_->setEnabled(false);
    measure_->setAutoDefault(false);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->addButton(measure_, QDialogButtonBox::ActionRole);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    connect(measure_, &QPushButton::clicked, this, [this] {
        StudyRequest request;
        request.why = false;
        emit measureAsked(adviceStudy(found_->facts, found_->advice, std::move(request)),
                          found_->advice.arm());
        close();
    });
    auto* box = new QVBoxLayout(this);
    box->addWidget(head_);
    box->addWidget(why_, 1);
    box->addWidget(buttons);
    resize(fontMetrics().averageCharWidth() * 100, fontMetrics().height() * 28);
    job_.start(
        [file, workload, parameters](BackgroundJob::Link& link) -> Result<Found> {
            auto facts = adviceFacts(file, workload, parameters, {}, link.stop());
            return facts.map([](AdviceFacts& looked) {
                Advice advice = advise(looked);
                return Found{std::move(looked), std::move(advice)};
            });
        },
        [this](const Result<Found>& found) { take(found); });
}

void AdviceDialog::take(const Result<Found>& found) {
    if (found) {
        found_ = std::make_shared<const Found>(*found);
        const QString text = QString::fromStdString(adviceText(found->facts, found->advice));
        const auto end = text.indexOf(QLatin1Char('\n'));
        head_->setText(text.left(end));
        why_->setPlainText(text.mid(end + 1).trimmed());
        measure_->setEnabled(!found->facts.file.bytes.isZero() && found->advice.arms.size() > 1);
        measure_->setToolTip(tr("Compares %1, and says whether the rule holds")
                                 .arg(QString::fromStdString(armsInWords(found->advice))));
    } else {
        head_->setText(QString::fromStdString(found.error().message));
    }
    emit ready();
}

QString AdviceDialog::advice() const {
    return found_ == nullptr ? QString() : head_->text();
}

}  // namespace mmapscope
