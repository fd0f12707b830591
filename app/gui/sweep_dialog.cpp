#include "app/gui/sweep_dialog.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include "core/text.h"
#include "run/memory_cap.h"

namespace mmapscope {
namespace {

QString sizeText(Bytes bytes) {
    return QString::fromStdString(formatBytesExact(roundDown(bytes, mib(1))));
}

Result<Bytes> sizeIn(const QLineEdit* field, const QString& name) {
    const auto size = parseBytes(field->text().trimmed().toStdString());
    return size ? size : fail(ErrorKind::usage, name.toStdString() + ": " + size.error().message);
}

}  // namespace

SweepDialog::SweepDialog(Bytes fileBytes, std::size_t arms, const Status& capPossible, QWidget* parent)
    : QDialog(parent),
      fileBytes_(fileBytes),
      arms_(arms),
      from_(new QLineEdit(this)),
      to_(new QLineEdit(this)),
      points_(new QSpinBox(this)),
      more_(new QSpinBox(this)),
      rounds_(new QSpinBox(this)),
      capped_(new QCheckBox(tr("&Memory cap"), this)),
      cap_(new QLineEdit(this)),
      cost_(new QLabel(this)) {
    setWindowTitle(tr("Sweep over sizes"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* words =
        new QLabel(tr("The ticked arms are compared on the first part of the file, from the smallest size to "
                      "the largest, "
                      "and again where a verdict changes, until the crossover is known to ±10 %. With a "
                      "memory cap around "
                      "each run a file of a few times the cap shows what happens when it doesn't fit."),
                   this);
    words->setWordWrap(true);
    // A cap of a quarter of the file, so that both sides of it are seen.
    const Bytes cap = std::max(roundDown(fileBytes / 4, mib(1)), kSmallestCap);
    from_->setText(sizeText(std::max(fileBytes / 48, std::min(fileBytes / 2, mib(1)))));
    to_->setText(QString::fromStdString(formatBytesExact(fileBytes)));
    cap_->setText(sizeText(cap));
    points_->setRange(2, 64);
    points_->setValue(8);
    more_->setRange(0, 64);
    more_->setValue(8);
    rounds_->setRange(5, 101);
    rounds_->setValue(7);
    capped_->setChecked(capPossible.has_value());
    capped_->setEnabled(capPossible.has_value());
    cost_->setWordWrap(true);
    cost_->setTextInteractionFlags(Qt::TextSelectableByMouse);

    auto* form = new QFormLayout;
    form->addRow(tr("&From"), from_);
    form->addRow(tr("&To"), to_);
    form->addRow(tr("&Sizes"), points_);
    form->addRow(tr("M&ore sizes, at most"), more_);
    form->addRow(tr("&Rounds at each size"), rounds_);
    form->addRow(capped_, cap_);
    if (!capPossible) {
        auto* why = new QLabel(QString::fromStdString(capPossible.error().message), this);
        why->setWordWrap(true);
        why->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        form->addRow(QString(), why);
    }
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    start_ = buttons->addButton(tr("Start"), QDialogButtonBox::AcceptRole);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(words);
    layout->addLayout(form);
    layout->addWidget(cost_);
    layout->addWidget(buttons);
    for (QLineEdit* field : {from_, to_, cap_}) {
        connect(field, &QLineEdit::textChanged, this, &SweepDialog::check);
    }
    for (QSpinBox* field : {points_, more_, rounds_}) {
        connect(field, &QSpinBox::valueChanged, this, &SweepDialog::check);
    }
    connect(capped_, &QCheckBox::toggled, this, &SweepDialog::check);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        if (const auto made = choice()) {
            emit chosen(*made);
            accept();
        }
    });
    check();
}

Result<SweepChoice> SweepDialog::choice() const {
    const auto from = sizeIn(from_, tr("From"));
    const auto to = sizeIn(to_, tr("To"));
    if (!from || !to) {
        return tl::unexpected(from ? to.error() : from.error());
    }
    if (from->isZero() || !(*from < *to) || *to > fileBytes_) {
        return fail(ErrorKind::usage, tr("From must be smaller than To, and To no more than the file's %1")
                                          .arg(QString::fromStdString(formatBytes(fileBytes_)))
                                          .toStdString());
    }
    SweepChoice made;
    made.sizes = logSizes(*from, *to, static_cast<unsigned>(points_->value()));
    made.morePoints = static_cast<unsigned>(more_->value());
    made.rounds = static_cast<unsigned>(rounds_->value());
    if (capped_->isChecked()) {
        const auto cap = sizeIn(cap_, tr("Memory cap"));
        if (!cap) {
            return tl::unexpected(cap.error());
        }
        if (*cap < kSmallestCap) {
            return fail(ErrorKind::usage,
                        tr("The smallest memory cap is %1").arg(sizeText(kSmallestCap)).toStdString());
        }
        made.memoryCap = *cap;
    }
    return made;
}

void SweepDialog::check() {
    cap_->setEnabled(capped_->isChecked());
    const auto made = choice();
    start_->setEnabled(made.has_value());
    if (!made) {
        cost_->setText(QString::fromStdString(made.error().message));
        return;
    }
    const auto runs = arms_ * made->sizes.size() * (made->rounds + 1);
    const auto more = arms_ * made->morePoints * (made->rounds + 1);
    QString text = tr("%1 runs, and up to %2 more where verdicts change").arg(runs).arg(more);
    if (made->memoryCap) {
        const auto of = [&](Bytes size) {
            return static_cast<double>(size.count()) / static_cast<double>(made->memoryCap->count());
        };
        text += tr("; from %1 to %2 times the cap")
                    .arg(of(made->sizes.front()), 0, 'f', 2)
                    .arg(of(made->sizes.back()), 0, 'f', 2);
    }
    cost_->setText(text);
}

}  // namespace mmapscope
