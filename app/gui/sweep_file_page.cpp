#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStorageInfo>
#include <QVBoxLayout>

#include "app/gui/sweep_pages.h"
#include "app/gui/user_data.h"
#include "core/text.h"

namespace mmapscope {
namespace {

QString text(Bytes bytes) {
    return QString::fromStdString(formatBytes(bytes));
}

}  // namespace

SweepFilePage::SweepFilePage(QWidget* parent)
    : QWizardPage(parent),
      file_(new QLabel(this)),
      kind_(new QComboBox(this)),
      size_(new QComboBox(this)),
      make_(new QPushButton(tr("&Make it"), this)),
      progress_(new QProgressBar(this)),
      cancel_(new QPushButton(tr("Cancel"), this)),
      free_(new QLabel(this)),
      trouble_(new QLabel(this)) {
    setTitle(tr("The file"));
    setSubTitle(
        tr("A sweep compares arms on more and more of a file, and finds where one becomes slower than the "
           "other."));
    file_->setObjectName(QStringLiteral("sweepFile"));
    for (QLabel* label : {file_, free_, trouble_}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
    }
    auto* choose = new QPushButton(tr("&Choose a file…"), this);
    connect(choose, &QPushButton::clicked, this, &SweepFilePage::browse);
    kind_->addItem(tr("Tick CSV"), static_cast<int>(CorpusKind::ticks));
    kind_->addItem(tr("Raw bytes"), static_cast<int>(CorpusKind::bytes));
    kind_->addItem(tr("zstd"), static_cast<int>(CorpusKind::zstd));
    kind_->setAccessibleName(tr("Kind of sample"));
    for (const Bytes bytes : {mib(256), mib(512), gib(1), gib(2), gib(4)}) {
        size_->addItem(text(bytes), QVariant::fromValue(bytes.count()));
    }
    size_->setAccessibleName(tr("Size of the sample"));
    size_->setCurrentIndex(2);
    progress_->setRange(0, SampleMaker::kSteps);
    auto* own = new QHBoxLayout;
    own->addWidget(choose);
    own->addStretch(1);
    auto* sample = new QHBoxLayout;
    sample->addWidget(new QLabel(tr("Or a sample:"), this));
    for (QWidget* part : std::initializer_list<QWidget*>{kind_, size_, make_, progress_, cancel_}) {
        sample->addWidget(part);
    }
    sample->addStretch(1);
    auto* box = new QVBoxLayout(this);
    box->addWidget(file_);
    box->addLayout(own);
    box->addSpacing(12);
    box->addLayout(sample);
    box->addWidget(free_);
    box->addWidget(trouble_);
    box->addStretch(1);
    connect(make_, &QPushButton::clicked, this, &SweepFilePage::makeSample);
    connect(cancel_, &QPushButton::clicked, this, [this] {
        maker_.cancel();
        setMaking(false);
    });
    connect(&maker_, &SampleMaker::progress, progress_, &QProgressBar::setValue);
    connect(&maker_, &SampleMaker::ready, this, [this](const QString& path) {
        setMaking(false);
        open(path);
    });
    connect(&maker_, &SampleMaker::failed, this, [this](const QString& error) {
        setMaking(false);
        tell(error);
    });
    setMaking(false);
    tell({});
    showFree();
    file_->setText(tr("No file yet."));
}

void SweepFilePage::setTarget(const TargetFacts& target) {
    target_ = target;
    const FileFacts& file = target.file;
    file_->setText(
        tr("%1, %2, on %3 storage%4")
            .arg(QString::fromStdString(printable(file.path)), text(file.bytes),
                 QString::fromUtf8(name(file.storage).data(), qsizetype(name(file.storage).size())),
                 target.description.empty()
                     ? QString()
                     : QStringLiteral(": ") + QString::fromStdString(target.description)));
    tell(file.isFolder()
             ? tr("A folder can't be swept: its first so many bytes are no working set. Choose a file.")
             : QString());
    if (file.isFolder()) {
        target_.reset();
    }
    emit targetChanged();
    emit completeChanged();
}

void SweepFilePage::open(const QString& path) {
    openJob_.start([file = path.toStdString()](BackgroundJob::Link&) { return inspectTarget(file); },
                   [this](const Result<TargetFacts>& found) {
                       if (found) {
                           setTarget(*found);
                           showFree();
                       } else {
                           tell(QString::fromStdString(found.error().message));
                       }
                   });
}

void SweepFilePage::browse() {
    auto* dialog = new QFileDialog(this, tr("Choose a file"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &SweepFilePage::open);
    dialog->open();
}

void SweepFilePage::makeSample() {
    tell({});
    setMaking(true);
    maker_.make(static_cast<CorpusKind>(kind_->currentData().toInt()),
                Bytes(size_->currentData().toULongLong()));
}

void SweepFilePage::showFree() {
    freeJob_.start(
        [](BackgroundJob::Link&) {
            // The folder may not be there yet: its nearest ancestor is on the same filesystem.
            QString at = samplesFolder();
            while (!QFileInfo::exists(at) && at.size() > 1) {
                at = QFileInfo(at).path();
            }
            return QStorageInfo(at).bytesAvailable();
        },
        [this](qint64 bytes) {
            free_->setText(
                bytes < 0 ? QString()
                          : tr("%1 are free where samples are kept (%2). Sample > Remove samples gives them "
                               "back.")
                                .arg(text(Bytes(static_cast<std::uint64_t>(bytes))), samplesFolder()));
        });
}

void SweepFilePage::setMaking(bool making) {
    progress_->setVisible(making);
    progress_->setValue(0);
    cancel_->setVisible(making);
    make_->setEnabled(!making);
}

void SweepFilePage::tell(const QString& error) {
    trouble_->setText(error);
    trouble_->setVisible(!error.isEmpty());
}

}  // namespace mmapscope
