#include "app/gui/target_panel.h"

#include <QEvent>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <variant>

#include "app/gui/parameter_text.h"
#include "app/gui/text_colour.h"
#include "core/text.h"
#include "run/cache_state.h"
#include "widgets/folio_bar.h"
#include "widgets/residency_bar.h"

namespace mmapscope {
namespace {

using namespace std::chrono_literals;

/// Looking costs up to 40 ms of CPU for 2 GiB: a fiftieth of the time at most.
constexpr int kRefreshShare = 50;
constexpr std::chrono::nanoseconds kRefreshPeriod = 2s;
constexpr std::size_t kFolioSizes = 3;  ///< told beside the bar, which shows all

QString sizeText(const FileFacts& file) {
    const QString size = QString::fromStdString(formatBytes(file.bytes));
    if (file.isFolder()) {
        return file.members.size() == 1
                   ? TargetPanel::tr("%1 in one file").arg(size)
                   : TargetPanel::tr("%1 in %2 files").arg(size).arg(file.members.size());
    }
    if (file.allocated < file.bytes) {
        return TargetPanel::tr("%1, sparse: %2 on disk")
            .arg(size, QString::fromStdString(formatBytes(file.allocated)));
    }
    return size;
}

struct Looked {
    Result<ResidencyNow> residency;
    Result<FolioLook> folios;
    std::chrono::nanoseconds cost;
};

}  // namespace

TargetPanel::TargetPanel(QWidget* parent) : QWidget(parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 8, 10, 8);
    layout->setSpacing(6);

    name_ = new QLabel(tr("No file yet"));
    name_->setObjectName(QStringLiteral("targetName"));
    QFont bold = name_->font();
    bold.setBold(true);
    name_->setFont(bold);
    kind_ = new QLabel;
    kind_->setObjectName(QStringLiteral("targetKind"));
    for (QLabel* label : {name_, kind_}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Minimum);
        layout->addWidget(label);
    }

    auto* form = new QFormLayout;
    form->setContentsMargins(0, 2, 0, 2);
    form->setVerticalSpacing(3);
    form->setHorizontalSpacing(12);
    size_ = addRow(form, tr("Size"), QStringLiteral("targetSize"));
    place_ = addRow(form, tr("Filesystem"), QStringLiteral("targetPlace"));
    storage_ = addRow(form, tr("Storage"), QStringLiteral("targetStorage"));
    readAhead_ = addRow(form, tr("Readahead"), QStringLiteral("targetReadAhead"));
    folios_ = addRow(form, tr("Folios"), QStringLiteral("targetFolios"));
    folioBar_ = new FolioBar;
    folioBar_->setObjectName(QStringLiteral("folioBar"));
    folioBar_->hide();
    form->addRow(QString(), folioBar_);
    layout->addLayout(form);

    restyle();

    residency_ = new ResidencyBar;
    residency_->setObjectName(QStringLiteral("residency"));
    residency_->setUnavailable(tr("no file"));
    layout->addWidget(residency_);

    evict_ = new QPushButton(tr("&Evict"));
    evict_->setObjectName(QStringLiteral("evict"));
    evict_->setToolTip(tr("Drop the file from the page cache; the next read comes from the storage"));
    warm_ = new QPushButton(tr("War&m"));
    warm_->setObjectName(QStringLiteral("warm"));
    warm_->setToolTip(
        tr("Evict the file and read it in order, so that it is cached in folios as large as "
           "readahead makes them"));
    for (QPushButton* button : {evict_, warm_}) {
        button->setAccessibleDescription(button->toolTip());
    }
    preparing_ = new QLabel;
    preparing_->setObjectName(QStringLiteral("preparing"));
    preparing_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(evict_);
    buttons->addWidget(warm_);
    buttons->addWidget(preparing_, 1);
    layout->addLayout(buttons);
    layout->addStretch(1);

    connect(evict_, &QPushButton::clicked, this, [this] { emit prepareAsked(CacheState::cold); });
    connect(warm_, &QPushButton::clicked, this, [this] { emit prepareAsked(CacheState::warm); });
    refreshTimer_.setSingleShot(true);
    connect(&refreshTimer_, &QTimer::timeout, this, &TargetPanel::refreshResidency);
    updateButtons();
}

QLabel* TargetPanel::addRow(QFormLayout* form, const QString& title, const QString& name) {
    auto* caption = new QLabel(title);
    captions_ << caption;
    auto* value = new QLabel(tr("–"));
    value->setObjectName(name);
    value->setAccessibleName(title);
    value->setTextFormat(Qt::PlainText);
    value->setWordWrap(true);
    value->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Minimum);
    form->addRow(caption, value);
    return value;
}

void TargetPanel::open(const QString& path) {
    using Found = std::variant<Result<TargetFacts>, bool>;
    openJob_.start(
        [file = path.toStdString()](BackgroundJob::Link&) -> Found {
            if (looksLikeStudy(file)) {
                return true;
            }
            return inspectTarget(file);
        },
        [this, path](Found found) {
            if (std::holds_alternative<bool>(found)) {
                emit studyFound(path);
                return;
            }
            auto& facts = std::get<Result<TargetFacts>>(found);
            if (!facts) {
                emit failed(QString::fromStdString(facts.error().message));
                return;
            }
            prepareJob_.cancel();
            target_ = std::move(*facts);
            showTarget();
            emit fileOpened();
        });
}

void TargetPanel::showTarget() {
    const FileFacts& file = target_->file;
    const QString path = QString::fromStdString(file.path);
    name_->setText(QString::fromStdString(printable(QFileInfo(path).fileName().toStdString())));
    name_->setToolTip(path);
    kind_->setText(QString::fromStdString(target_->description));
    kind_->setVisible(!target_->description.empty());
    size_->setText(sizeText(file));
    size_->setToolTip(tr("%1 bytes").arg(file.bytes.count()));
    place_->setText(QString::fromStdString(file.filesystem + " · " + file.device));
    place_->setToolTip(
        tr("Mounted at %1 with %2")
            .arg(QString::fromStdString(file.mountPoint), QString::fromStdString(file.mountOptions)));
    const QString kind = toQString(mmapscope::name(file.storage));
    storage_->setText(
        file.layers.empty() ? kind : tr("%1: %2").arg(kind, QString::fromStdString(layersText(file.layers))));
    QStringList layers(QString::fromStdString(file.storageReason));
    for (const StorageLayer& layer : file.layers) {
        layers << QString(qsizetype(layer.depth) * 2, u' ') + QString::fromStdString(describe(layer));
    }
    storage_->setToolTip(layers.join(u'\n'));
    folios_->setText(tr("–"));
    folios_->setToolTip({});
    folioBar_->hide();
    readAhead_->setText(file.readAhead ? QString::fromStdString(formatBytes(*file.readAhead))
                                       : tr("not available here"));
    readAhead_->setToolTip(tr("The most the kernel reads ahead in one go (read_ahead_kb of the device)"));
    preparing_->clear();
    updateButtons();
    refreshResidency();
}

void TargetPanel::refreshResidency() {
    refreshTimer_.stop();
    if (!target_ || measuring_ || prepareJob_.busy() || !isVisible()) {
        return;
    }
    residencyJob_.start(
        [file = target_->file](BackgroundJob::Link&) {
            const auto before = std::chrono::steady_clock::now();
            Looked looked{lookAtResidency(file), lookAtFolioSizes(file), {}};
            looked.cost = std::chrono::steady_clock::now() - before;
            return looked;
        },
        [this](Looked looked) {
            if (looked.residency) {
                residency_->setMap(std::move(looked.residency->parts), looked.residency->whole.total,
                                   looked.residency->whole.fraction());
            } else {
                residency_->setUnavailable(QString::fromStdString(looked.residency.error().message));
            }
            showFolios(looked.folios);
            scheduleRefresh(looked.cost);
        });
}

void TargetPanel::showFolios(const Result<FolioLook>& look) {
    folioBar_->setVisible(look.has_value());
    if (!look) {
        folios_->setText(tr("not available here"));
        folios_->setToolTip(QString::fromStdString(look.error().message));
        return;
    }
    folioBar_->setLook(*look);
    folios_->setText(QString::fromStdString(folioText(*look, kFolioSizes)));
    folios_->setToolTip(
        tr("How large the pieces are that the page cache holds the file in, by share of its cached bytes: "
           "what decides how much one fault maps. They depend on who filled the cache, and how.\n%1.\n%2")
            .arg(QString::fromStdString(folioText(*look)), FolioBar::basisText(*look)));
}

void TargetPanel::scheduleRefresh(std::chrono::nanoseconds cost) {
    const auto wait = std::max(kRefreshPeriod, cost * kRefreshShare);
    refreshTimer_.start(std::chrono::duration_cast<std::chrono::milliseconds>(wait));
}

void TargetPanel::prepare(CacheState state) {
    if (!target_ || measuring_ || prepareJob_.busy()) {
        return;
    }
    residencyJob_.cancel();
    preparing_->setText(state == CacheState::cold ? tr("Evicting…") : tr("Warming…"));
    prepareJob_.start(
        [file = target_->file, state](BackgroundJob::Link& link) {
            return prepareCache(file, {Bytes(0), file.bytes}, state, true, link.stop());
        },
        [this](const Result<CacheFacts>& facts) {
            preparing_->clear();
            if (!facts) {
                emit failed(QString::fromStdString(facts.error().message));
            } else if (!facts->reached) {
                emit failed(QString::fromStdString(facts->reason));
            }
            updateButtons();
            refreshResidency();
        });
    updateButtons();
}

void TargetPanel::setMeasuring(bool measuring) {
    measuring_ = measuring;
    if (measuring) {
        refreshTimer_.stop();
        residencyJob_.cancel();
        prepareJob_.cancel();
        preparing_->clear();
    } else {
        refreshResidency();
    }
    updateButtons();
}

void TargetPanel::updateButtons() {
    const bool possible = target_ && !measuring_ && !prepareJob_.busy();
    evict_->setEnabled(possible);
    warm_->setEnabled(possible);
}

void TargetPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        restyle();
    }
}

void TargetPanel::restyle() {
    mute(captions_);
}

void TargetPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refreshResidency();
}

}  // namespace mmapscope
