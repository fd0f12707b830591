#include "app/gui/sweep_pages.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include "app/gui/arms_panel.h"
#include "core/text.h"
#include "study/sweep_points.h"

namespace mmapscope {
namespace {

QString exactText(Bytes bytes) {
    return QString::fromStdString(formatBytesExact(bytes));
}

QString text(Bytes bytes) {
    return QString::fromStdString(formatBytes(bytes));
}

Result<Bytes> sizeIn(const QLineEdit* field, const QString& name) {
    const auto size = parseBytes(field->text().trimmed().toStdString());
    return size ? size : fail(ErrorKind::usage, name.toStdString() + ": " + size.error().message);
}

QLabel* wordsLabel(QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

/// Of the sizes, in times the cap.
QString times(Bytes size, Bytes cap) {
    return QStringLiteral("%1×").arg(static_cast<double>(size.count()) / static_cast<double>(cap.count()), 0,
                                     'f', 2);
}

}  // namespace

SweepArmsPage::SweepArmsPage(QWidget* parent)
    : QWizardPage(parent), arms_(new ArmsPanel(this)), words_(wordsLabel(this)) {
    setTitle(tr("What to compare"));
    setSubTitle(tr("The workload, and the ways its bytes come. The first ticked arm is the baseline."));
    auto* box = new QVBoxLayout(this);
    box->addWidget(arms_, 1);
    box->addWidget(words_);
    const auto tell = [this] {
        const auto count = static_cast<int>(arms_->arms().size());
        words_->setText(count >= 2 ? QString()
                                   : tr("Tick at least two arms: one is compared with the other."));
        words_->setVisible(count < 2);
        emit completeChanged();
    };
    connect(arms_, &ArmsPanel::changed, this, tell);
    connect(arms_, &ArmsPanel::rejected, this, [this](const QString& why) {
        words_->setText(why);
        words_->show();
    });
    tell();
}

bool SweepArmsPage::isComplete() const {
    return arms_->ready() && arms_->arms().size() >= 2;
}

SweepMemoryPage::SweepMemoryPage(QWidget* parent)
    : QWizardPage(parent),
      capped_(new QCheckBox(tr("A memory &cap around each run"), this)),
      cap_(new QLineEdit(this)),
      way_(wordsLabel(this)),
      from_(new QLineEdit(this)),
      to_(new QLineEdit(this)),
      points_(new QSpinBox(this)),
      words_(wordsLabel(this)) {
    setTitle(tr("Memory and sizes"));
    setSubTitle(
        tr("Of the file the first part is read, from the smallest size to the largest. With a cap, a file of "
           "a few times the cap shows what happens when it doesn't fit."));
    capped_->setObjectName(QStringLiteral("sweepCapped"));
    cap_->setObjectName(QStringLiteral("sweepCap"));
    cap_->setAccessibleName(tr("Memory cap"));
    from_->setObjectName(QStringLiteral("sweepFrom"));
    to_->setObjectName(QStringLiteral("sweepTo"));
    points_->setObjectName(QStringLiteral("sweepPoints"));
    points_->setRange(2, 64);
    points_->setValue(8);
    auto* form = new QFormLayout;
    form->addRow(capped_, cap_);
    form->addRow(QString(), way_);
    form->addRow(tr("&From"), from_);
    form->addRow(tr("&To"), to_);
    form->addRow(tr("&Sizes, evenly on a log scale"), points_);
    auto* box = new QVBoxLayout(this);
    box->addLayout(form);
    box->addWidget(words_);
    box->addStretch(1);
    for (QLineEdit* field : {cap_, from_, to_}) {
        connect(field, &QLineEdit::textChanged, this, &SweepMemoryPage::check);
    }
    connect(points_, &QSpinBox::valueChanged, this, &SweepMemoryPage::check);
    connect(capped_, &QCheckBox::toggled, this, &SweepMemoryPage::check);
}

void SweepMemoryPage::setFile(Bytes fileBytes, const Result<CapPlace>& capPlace, Bytes memory) {
    const bool possible = capPlace.has_value();
    capped_->setEnabled(possible);
    if (possible) {
        const QString how =
            capPlace->bySystemd ? tr("systemd makes a scope for each run (systemd-run)")
            : capPlace->version == 1
                ? tr("by a control group of version 1, %1").arg(QString::fromStdString(capPlace->directory))
                : tr("by a control group of version 2, %1").arg(QString::fromStdString(capPlace->directory));
        way_->setText(how);
        ancestorLimit_ = capPlace->ancestorLimit;
    } else {
        way_->setText(QString::fromStdString(capPlace.error().message));
    }
    memory_ = memory;
    if (fileBytes == fileBytes_) {
        check();
        return;
    }
    fileBytes_ = fileBytes;
    // A cap of a quarter of the file, so that both sides of it are seen.
    cap_->setText(exactText(std::max(roundDown(fileBytes / 4, mib(1)), kSmallestCap)));
    const Bytes least = std::max(fileBytes / 48, std::min(fileBytes / 2, mib(1)));
    from_->setText(exactText(least > mib(1) ? roundDown(least, mib(1)) : least));
    to_->setText(exactText(fileBytes));
    capped_->setChecked(possible && fileBytes / 2 > kSmallestCap);
    check();
}

std::optional<Bytes> SweepMemoryPage::memoryCap() const {
    if (!capped_->isChecked()) {
        return std::nullopt;
    }
    const auto cap = sizeIn(cap_, QString());
    return cap ? std::optional(*cap) : std::nullopt;
}

Result<std::vector<Bytes>> SweepMemoryPage::sizes() const {
    if (capped_->isChecked()) {
        const auto cap = sizeIn(cap_, tr("Memory cap"));
        if (!cap) {
            return tl::unexpected(cap.error());
        }
        if (*cap < kSmallestCap || *cap >= memory_) {
            return fail(ErrorKind::usage, tr("A memory cap lies between %1 and this machine's %2")
                                              .arg(text(kSmallestCap), text(memory_))
                                              .toStdString());
        }
    }
    const auto from = sizeIn(from_, tr("From"));
    const auto to = sizeIn(to_, tr("To"));
    if (!from || !to) {
        return tl::unexpected(from ? to.error() : from.error());
    }
    if (from->isZero() || !(*from < *to) || *to > fileBytes_) {
        return fail(ErrorKind::usage, tr("From must be smaller than To, and To no more than the file's %1")
                                          .arg(text(fileBytes_))
                                          .toStdString());
    }
    return logSizes(*from, *to, static_cast<unsigned>(points_->value()));
}

QString SweepMemoryPage::sizesInWords(const std::vector<Bytes>& sizes) const {
    QStringList all;
    const auto cap = memoryCap();
    for (const Bytes size : sizes) {
        all << (cap ? QStringLiteral("%1 (%2)").arg(text(size), times(size, *cap)) : text(size));
    }
    QString words =
        tr("Sizes%1: %2.")
            .arg(cap ? tr(", with multiples of the cap") : QString(), all.join(QStringLiteral(", ")));
    if (cap && ancestorLimit_ && *ancestorLimit_ < *cap) {
        words += tr("\nA group above allows only %1: that is what will hold.").arg(text(*ancestorLimit_));
    }
    if (cap && (sizes.back() < *cap || *cap < sizes.front())) {
        words += tr("\nAll sizes lie on one side of the cap: what changes there won't be seen.");
    }
    if (!cap && sizes.back() < memory_ / 2) {
        words +=
            tr("\nWithout a cap every size fits into this machine's %1: what happens when a file doesn't fit "
               "won't be seen.")
                .arg(text(memory_));
    }
    return words;
}

void SweepMemoryPage::check() {
    cap_->setEnabled(capped_->isChecked());
    const auto found = sizes();
    good_ = found.has_value();
    words_->setText(found ? sizesInWords(*found) : QString::fromStdString(found.error().message));
    emit completeChanged();
}

SweepCostPage::SweepCostPage(QWidget* parent)
    : QWizardPage(parent),
      cache_(new QComboBox(this)),
      rounds_(new QSpinBox(this)),
      more_(new QSpinBox(this)),
      cost_(wordsLabel(this)) {
    setTitle(tr("How, and what it costs"));
    setCommitPage(true);
    cache_->setObjectName(QStringLiteral("sweepCache"));
    rounds_->setObjectName(QStringLiteral("sweepRounds"));
    more_->setObjectName(QStringLiteral("sweepMore"));
    cost_->setObjectName(QStringLiteral("sweepCost"));
    rounds_->setRange(5, 101);
    rounds_->setValue(7);
    rounds_->setToolTip(tr("Every arm runs so often at each size, in an order drawn anew each round"));
    more_->setRange(0, 64);
    more_->setValue(8);
    more_->setToolTip(
        tr("Where a verdict changes between two sizes, sizes between them are added until the crossover is "
           "known to ±10 %; what it rests on is measured a second time"));
    auto* form = new QFormLayout;
    form->addRow(tr("&Page cache before each run"), cache_);
    form->addRow(tr("&Rounds at each size"), rounds_);
    form->addRow(tr("&More sizes, at most"), more_);
    auto* box = new QVBoxLayout(this);
    box->addLayout(form);
    box->addWidget(cost_);
    box->addStretch(1);
    for (QSpinBox* field : {rounds_, more_}) {
        connect(field, &QSpinBox::valueChanged, this, &SweepCostPage::tell);
    }
    connect(cache_, &QComboBox::currentIndexChanged, this, &SweepCostPage::tell);
}

void SweepCostPage::setWork(std::size_t arms, const std::vector<Bytes>& sizes, bool capped) {
    arms_ = arms;
    sizes_ = sizes;
    if (cache_->count() == 0 || capped != capped_) {
        const QString before = cache_->currentText();
        cache_->clear();
        // What was cached outside a cap isn't charged to it.
        cache_->addItems(capped ? QStringList{QStringLiteral("warm"), QStringLiteral("cold")}
                                : QStringList{QStringLiteral("warm"), QStringLiteral("warm-small"),
                                              QStringLiteral("cold"), QStringLiteral("resident"),
                                              QStringLiteral("asis")});
        cache_->setCurrentIndex(std::max(0, cache_->findText(before)));
    }
    capped_ = capped;
    tell();
}

CacheState SweepCostPage::cache() const {
    return cacheStateOf(cache_->currentText().toStdString()).value_or(CacheState::warm);
}

unsigned SweepCostPage::rounds() const {
    return static_cast<unsigned>(rounds_->value());
}

unsigned SweepCostPage::morePoints() const {
    return static_cast<unsigned>(more_->value());
}

void SweepCostPage::tell() {
    // Before each measured run under a cap the same worker makes one to warm up; one inspection run an arm.
    const std::uint64_t perSize = arms_ * (rounds() + 1) * (capped_ ? 2 : 1);
    Bytes bytes;
    for (const Bytes size : sizes_) {
        bytes = bytes + size * perSize;
    }
    const auto seconds = [&](double perSecond) {
        return QString::fromStdString(formatDuration(Nanoseconds(
            static_cast<Nanoseconds::rep>(static_cast<double>(bytes.count()) / perSecond * 1e9))));
    };
    constexpr double kFast = 5e9, kSlow = 1e9;
    cost_->setText(
        tr("%1 runs at %2 sizes, and up to %3 sizes more. %4 are read in all: %5 at 5 GB/s, %6 at 1 GB/s; "
           "how "
           "long it takes here is known once the largest and the smallest size are done. Nothing is written "
           "to the disk but the study, after every run. It can be paused and stopped at any time, and goes "
           "on "
           "where it was.")
            .arg(arms_ * sizes_.size() * rounds())
            .arg(sizes_.size())
            .arg(more_->value())
            .arg(text(bytes), seconds(kFast), seconds(kSlow)));
}

}  // namespace mmapscope
