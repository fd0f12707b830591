#include "app/gui/reserve_dialog.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QFormLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QStandardPaths>
#include <QVBoxLayout>

#include "core/text.h"

namespace mmapscope {
namespace {

constexpr int kMostPages = 1 << 22;
/// pkexec(1): 127 when not authorized, 126 when the user closed its dialog.
constexpr int kNotAuthorized = 127;
constexpr int kDismissed = 126;

}  // namespace

ReserveDialog::ReserveDialog(std::uint64_t wanted, std::function<Result<PoolFacts>()> readPool,
                             QWidget* parent)
    : QDialog(parent),
      readPool_(std::move(readPool)),
      process_(new QProcess(this)),
      pages_(new QSpinBox(this)),
      command_(new QLineEdit(this)),
      run_(new QPushButton(tr("&Run with pkexec"), this)),
      putBack_(new QPushButton(this)),
      outcome_(new QLabel(this)) {
    setWindowTitle(tr("Reserve huge pages"));
    setAttribute(Qt::WA_DeleteOnClose);
    if (auto pool = readPool_()) {
        before_ = *pool;
        now_ = *pool;
    }
    auto* words =
        new QLabel(tr("Huge pages come from memory that is set aside for them: nothing else can use it until "
                      "it is given "
                      "back. Setting it needs an administrator; this program itself never runs as one."),
                   this);
    words->setWordWrap(true);
    pages_->setRange(1, kMostPages);
    pages_->setValue(
        static_cast<int>(std::min<std::uint64_t>(std::max<std::uint64_t>(wanted, 1), kMostPages)));
    pages_->setAccessibleName(tr("Pages to be available"));
    pages_->setToolTip(
        tr("As many free pages as the arms need; the suggestion is the file's size, rounded up"));
    command_->setReadOnly(true);
    command_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    command_->setAccessibleName(tr("Command"));
    command_->setMinimumWidth(fontMetrics().averageCharWidth() * 52);
    outcome_->setWordWrap(true);
    outcome_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    outcome_->setAccessibleName(tr("Outcome"));
    putBack_->hide();
    auto* copy = new QPushButton(tr("&Copy"), this);
    copy->setToolTip(tr("Copy the command, to run it in a terminal"));

    auto* form = new QFormLayout;
    form->addRow(tr("&Pages of %1").arg(QString::fromStdString(formatBytes(before_.size))), pages_);
    auto* line = new QHBoxLayout;
    line->addWidget(command_, 1);
    line->addWidget(copy);
    form->addRow(tr("Command"), line);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->addButton(run_, QDialogButtonBox::ActionRole);
    buttons->addButton(putBack_, QDialogButtonBox::ActionRole);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(words);
    layout->addLayout(form);
    layout->addWidget(outcome_);
    layout->addWidget(buttons);

    connect(pages_, &QSpinBox::valueChanged, this, &ReserveDialog::showCommand);
    connect(copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(command_->text()); });
    connect(run_, &QPushButton::clicked, this, [this] { runPkexec(total()); });
    connect(putBack_, &QPushButton::clicked, this, [this] { runPkexec(before_.total); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(process_, &QProcess::finished, this, &ReserveDialog::finished);
    connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) {
            failedToStart();
        }
    });
    if (QStandardPaths::findExecutable(QStringLiteral("pkexec")).isEmpty()) {
        run_->setEnabled(false);
        run_->setToolTip(tr("pkexec is not installed (package polkit): run the command in a terminal"));
        say(tr("pkexec is not installed here: run the command in a terminal."), false);
    }
    showCommand();
}

ReserveDialog::~ReserveDialog() {
    // A password dialog that is still open belongs to nobody any more.
    process_->disconnect(this);
    process_->kill();
}

std::uint64_t ReserveDialog::total() const {
    return reserveTotal(now_.value_or(before_), static_cast<std::uint64_t>(pages_->value()));
}

void ReserveDialog::showCommand() {
    const PoolFacts pool = now_.value_or(before_);
    const bool enough = total() == pool.total;
    command_->setText(
        enough ? tr("nothing to do: that many are free now")
               : QString::fromStdString(reserveCommand(pool, static_cast<std::uint64_t>(pages_->value()))));
    const bool there = !QStandardPaths::findExecutable(QStringLiteral("pkexec")).isEmpty();
    run_->setEnabled(!enough && there && process_->state() == QProcess::NotRunning);
}

void ReserveDialog::runPkexec(std::uint64_t pages) {
    if (process_->state() != QProcess::NotRunning) {
        return;
    }
    asked_ = pages;
    run_->setEnabled(false);
    putBack_->setEnabled(false);
    say(tr("Waiting for pkexec…"), false);
    const QString file = QString::fromStdString(poolDirectory(before_.size) + "/nr_hugepages");
    process_->start(QStringLiteral("pkexec"), {QStringLiteral("/usr/bin/tee"), file});
    process_->write(QByteArray::number(qulonglong(pages)) + '\n');
    process_->closeWriteChannel();
}

void ReserveDialog::failedToStart() {
    say(tr("pkexec can't be started: %1. Run the command in a terminal.").arg(process_->errorString()), true);
    showCommand();
}

void ReserveDialog::finished(int code, QProcess::ExitStatus status) {
    if (status != QProcess::NormalExit || code != 0) {
        const QString said = QString::fromLocal8Bit(process_->readAllStandardError()).trimmed();
        say(code == kDismissed ? tr("Not done: the request was dismissed.")
            : code == kNotAuthorized
                ? tr("Not done: pkexec was refused (%1).").arg(said.isEmpty() ? tr("not authorized") : said)
                : tr("Not done: %1").arg(said.isEmpty() ? tr("exit status %1").arg(code) : said),
            true);
    } else if (const auto pool = readPool_(); !pool) {
        say(tr("Done, but the pool can't be read: %1").arg(QString::fromStdString(pool.error().message)),
            true);
    } else {
        now_ = *pool;
        // The kernel gives what it finds in one piece, which may be less, and says nothing.
        if (pool->total < asked_) {
            say(tr("The pool has %1 pages now; %2 were asked for. Memory is short or in pieces: close "
                   "programs, or restart with hugepages=%2 on the kernel's command line.")
                    .arg(pool->total)
                    .arg(asked_),
                true);
        } else {
            say(tr("The pool has %1 pages now, %2 of them available.")
                    .arg(pool->total)
                    .arg(pool->available()),
                false);
        }
        putBack_->setText(tr("Put &back to %1").arg(before_.total));
        putBack_->setVisible(pool->total != before_.total);
        putBack_->setEnabled(true);
    }
    showCommand();
}

void ReserveDialog::say(const QString& text, bool trouble) {
    outcome_->setText(trouble ? tr("⚠ %1").arg(text) : text);
}

}  // namespace mmapscope
