#include "app/gui/start_page.h"

#include <QComboBox>
#include <QEvent>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/gui/text_colour.h"
#include "core/text.h"

namespace mmapscope {
namespace {

constexpr int kColumnWidth = 640;
constexpr int kShownRecent = 4;

QString linksTo(const char* scheme, const QStringList& paths) {
    QStringList links;
    for (const QString& path : paths.mid(0, kShownRecent)) {
        links << QStringLiteral("<a href=\"%1:%2\">%3</a>")
                     .arg(QLatin1String(scheme), QString::fromLatin1(path.toUtf8().toPercentEncoding("/")),
                          QFileInfo(path).fileName().toHtmlEscaped());
    }
    return links.join(QStringLiteral("&nbsp;&nbsp; "));
}

}  // namespace

StartPage::StartPage(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("startPage"));
    auto* column = new QWidget;
    column->setMaximumWidth(kColumnWidth);
    auto* box = new QVBoxLayout(column);
    box->setSpacing(22);
    box->addWidget(buildFilePart());
    box->addWidget(buildSamplePart());
    box->addWidget(buildRecentPart());

    auto* outer = new QGridLayout(this);
    outer->addWidget(column, 1, 1);
    outer->setRowStretch(0, 2);
    outer->setRowStretch(2, 3);
    outer->setColumnStretch(0, 1);
    outer->setColumnStretch(1, 4);
    outer->setColumnStretch(2, 1);
    restyle();
}

QLabel* StartPage::addMuted(QVBoxLayout* box, const QString& text) {
    auto* label = new QLabel(text);
    label->setWordWrap(true);
    muted_ << label;
    box->addWidget(label);
    return label;
}

QWidget* StartPage::buildFilePart() {
    auto* part = new QWidget;
    auto* box = new QVBoxLayout(part);
    box->setContentsMargins(0, 0, 0, 0);
    auto* title = new QLabel(tr("How should a program get a file’s bytes?"));
    title->setObjectName(QStringLiteral("startTitle"));
    title->setWordWrap(true);
    QFont font = title->font();
    font.setPointSizeF(font.pointSizeF() * 1.8);
    title->setFont(font);
    box->addWidget(title);
    addMuted(
        box,
        tr("Drop a file anywhere in this window, or open one. Arms that suit it are chosen; press Run and "
           "each is measured in turn."));
    auto* open = new QPushButton(tr("&Open a file…"));
    open->setObjectName(QStringLiteral("startOpen"));
    open->setDefault(true);
    connect(open, &QPushButton::clicked, this, &StartPage::openAsked);
    auto* row = new QHBoxLayout;
    auto* learn = new QPushButton(tr("&Learn: nine short lessons"));
    learn->setObjectName(QStringLiteral("startLearn"));
    connect(learn, &QPushButton::clicked, this, &StartPage::learnAsked);
    row->addWidget(open);
    row->addWidget(learn);
    row->addStretch(1);
    box->addSpacing(6);
    box->addLayout(row);
    return part;
}

QWidget* StartPage::buildSamplePart() {
    auto* part = new QWidget;
    auto* box = new QVBoxLayout(part);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(8);
    auto* title = new QLabel(tr("Or make a sample of"));
    size_ = new QComboBox;
    size_->setObjectName(QStringLiteral("sampleSize"));
    size_->setAccessibleName(tr("Size of the sample"));
    for (const Bytes bytes : {mib(16), mib(64), mib(256), gib(1), gib(4)}) {
        size_->addItem(QString::fromStdString(formatBytes(bytes)), QVariant::fromValue(bytes.count()));
    }
    size_->setCurrentIndex(2);
    title->setBuddy(size_);
    auto* head = new QHBoxLayout;
    head->addWidget(title);
    head->addWidget(size_);
    head->addStretch(1);
    box->addLayout(head);

    addSample(box, CorpusKind::zstd, tr("&zstd"),
              tr("Half random, half constant bytes, compressed at level 3: decoding"),
              QStringLiteral("sampleZstd"));
    addSample(box, CorpusKind::ticks, tr("&Tick CSV"), tr("Time, price, size, side: parsing rows"),
              QStringLiteral("sampleTicks"));
    addSample(box, CorpusKind::bytes, tr("Raw &bytes"), tr("The same bytes uncompressed: scanning, hashing"),
              QStringLiteral("sampleBytes"));

    making_ = new QLabel;
    progress_ = new QProgressBar;
    progress_->setObjectName(QStringLiteral("sampleProgress"));
    progress_->setAccessibleName(tr("Progress of the sample"));
    progress_->setRange(0, SampleMaker::kSteps);
    cancel_ = new QPushButton(tr("Cancel"));
    cancel_->setObjectName(QStringLiteral("sampleCancel"));
    connect(cancel_, &QPushButton::clicked, this, [this] {
        maker_.cancel();
        setMaking(false);
    });
    auto* row = new QHBoxLayout;
    row->addWidget(making_);
    row->addWidget(progress_, 1);
    row->addWidget(cancel_);
    box->addLayout(row);
    connect(&maker_, &SampleMaker::progress, progress_, &QProgressBar::setValue);
    connect(&maker_, &SampleMaker::ready, this, [this](const QString& path) {
        setMaking(false);
        emit sampleReady(path);
    });
    connect(&maker_, &SampleMaker::failed, this, [this](const QString& error) {
        setMaking(false);
        emit failed(error);
    });
    setMaking(false);
    return part;
}

void StartPage::addSample(QVBoxLayout* box, CorpusKind kind, const QString& title, const QString& text,
                          const QString& name) {
    auto* button = new QPushButton(title);
    button->setObjectName(name);
    button->setAccessibleDescription(text);
    button->setMinimumWidth(110);
    connect(button, &QPushButton::clicked, this, [this, kind] { makeSample(kind, chosenSize()); });
    sampleButtons_ << button;
    auto* row = new QHBoxLayout;
    row->addWidget(button);
    auto* about = new QLabel(text);
    muted_ << about;
    row->addSpacing(8);
    row->addWidget(about, 1);
    box->addLayout(row);
}

QWidget* StartPage::buildRecentPart() {
    recent_ = new QWidget;
    auto* box = new QVBoxLayout(recent_);
    box->setContentsMargins(0, 0, 0, 0);
    recentLinks_ = new QLabel;
    recentLinks_->setObjectName(QStringLiteral("recentLinks"));
    recentLinks_->setAccessibleName(tr("Recent files and studies"));
    recentLinks_->setTextFormat(Qt::RichText);
    recentLinks_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    recentLinks_->setWordWrap(true);
    connect(recentLinks_, &QLabel::linkActivated, this, [this](const QString& link) {
        const QString path =
            QString::fromUtf8(QByteArray::fromPercentEncoding(link.section(':', 1).toLatin1()));
        link.startsWith(QLatin1String("file:")) ? emit fileChosen(path) : emit studyChosen(path);
    });
    box->addWidget(recentLinks_);
    return recent_;
}

void StartPage::setRecent(const QStringList& files, const QStringList& studies) {
    QStringList rows;
    if (!files.isEmpty()) {
        rows << tr("Recent files: %1").arg(linksTo("file", files));
    }
    if (!studies.isEmpty()) {
        rows << tr("Recent studies: %1").arg(linksTo("study", studies));
    }
    recentLinks_->setText(rows.join(QStringLiteral("<br><br>")));
    recent_->setVisible(!rows.isEmpty());
}

Bytes StartPage::chosenSize() const {
    return Bytes(size_->currentData().toULongLong());
}

void StartPage::makeSample(CorpusKind kind, Bytes size) {
    setMaking(true);
    making_->setText(tr("Making %1").arg(sampleName(kind, size)));
    emit sampleStarted();
    maker_.make(kind, size);
}

void StartPage::setMaking(bool making) {
    making_->setVisible(making);
    progress_->setVisible(making);
    progress_->setValue(0);
    cancel_->setVisible(making);
    for (QPushButton* button : sampleButtons_) {
        button->setEnabled(!making);
    }
}

void StartPage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        restyle();
    }
}

void StartPage::restyle() {
    mute(muted_);
}

}  // namespace mmapscope
