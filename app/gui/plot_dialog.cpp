#include "app/gui/plot_dialog.h"

#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>

namespace mmapscope {
namespace {

constexpr QSize kPreview(560, 420);
constexpr int kPreviewDelay = 150;  // ms after the last change

QString text(std::string_view words) {
    return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
}

}  // namespace

PlotDialog::PlotDialog(std::shared_ptr<const Study> study, PlotKind first, QWidget* parent)
    : QDialog(parent),
      study_(std::move(study)),
      kind_(new QComboBox(this)),
      format_(new QComboBox(this)),
      theme_(new QComboBox(this)),
      width_(new QSpinBox(this)),
      height_(new QSpinBox(this)),
      scale_(new QDoubleSpinBox(this)),
      picture_(new QLabel(this)),
      words_(new QLabel(this)),
      save_(new QPushButton(tr("&Save…"), this)),
      copy_(new QPushButton(tr("&Copy picture"), this)) {
    setWindowTitle(tr("Export a plot"));
    const PlotOptions usual;
    width_->setRange(PlotOptions::kLeastWidth, PlotOptions::kMostSide);
    width_->setValue(usual.width);
    width_->setSingleStep(100);
    // One below the least stands for what suits the picture.
    height_->setRange(PlotOptions::kLeastHeight - 1, PlotOptions::kMostSide);
    height_->setSpecialValueText(tr("what suits it"));
    height_->setValue(height_->minimum());
    scale_->setRange(PlotOptions::kLeastScale, PlotOptions::kMostScale);
    scale_->setSingleStep(0.5);
    scale_->setValue(usual.scale);
    scale_->setToolTip(
        tr("Pixels of a PNG for each unit of the size; how much larger the other formats get"));
    for (const PlotFormat format : {PlotFormat::svg, PlotFormat::png, PlotFormat::pdf}) {
        format_->addItem(text(suffixOf(format)).toUpper(), static_cast<int>(format));
    }
    theme_->addItem(tr("light"), false);
    theme_->addItem(tr("dark"), true);
    fillKinds(first);

    auto* form = new QFormLayout;
    const auto row = [&](const QString& name, QWidget* field) {
        form->addRow(name, field);
        field->setAccessibleName(QString(name).remove(u'&').remove(u':'));
    };
    row(tr("&Plot:"), kind_);
    row(tr("&Width:"), width_);
    row(tr("&Height:"), height_);
    row(tr("Sca&le:"), scale_);
    row(tr("&Theme:"), theme_);
    row(tr("&Format:"), format_);
    words_->setWordWrap(true);
    words_->setTextFormat(Qt::PlainText);
    words_->setAccessibleName(tr("Why it can't be drawn"));
    picture_->setFixedSize(kPreview);
    picture_->setAlignment(Qt::AlignCenter);
    picture_->setFrameShape(QFrame::StyledPanel);
    picture_->setAccessibleName(tr("The plot, made small"));

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->addButton(save_, QDialogButtonBox::ActionRole);
    buttons->addButton(copy_, QDialogButtonBox::ActionRole);
    save_->setDefault(true);
    auto* left = new QVBoxLayout;
    left->addLayout(form);
    left->addWidget(words_);
    left->addStretch(1);
    auto* both = new QHBoxLayout;
    both->addLayout(left, 1);
    both->addWidget(picture_);
    auto* all = new QVBoxLayout(this);
    all->addLayout(both);
    all->addWidget(buttons);

    later_.setSingleShot(true);
    later_.setInterval(kPreviewDelay);
    const auto changed = [this] { later_.start(); };
    for (QComboBox* box : {kind_, format_, theme_}) {
        connect(box, &QComboBox::currentIndexChanged, this, changed);
    }
    for (QSpinBox* box : {width_, height_}) {
        connect(box, &QSpinBox::valueChanged, this, changed);
    }
    connect(scale_, &QDoubleSpinBox::valueChanged, this, changed);
    connect(&later_, &QTimer::timeout, this, &PlotDialog::preview);
    connect(save_, &QPushButton::clicked, this, [this] { emit saveAsked(options()); });
    connect(copy_, &QPushButton::clicked, this, &PlotDialog::copy);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    preview();
}

/// All of them, so that it is seen what there could be; those without data say why not.
void PlotDialog::fillKinds(PlotKind first) {
    auto* const items = qobject_cast<QStandardItemModel*>(kind_->model());
    int chosen = -1;
    for (const PlotKindFacts& facts : plotKinds()) {
        const int index = kind_->count();
        kind_->addItem(text(facts.what), static_cast<int>(facts.kind));
        if (const Status has = checkPlot(*study_, facts.kind); !has) {
            const QString why = QString::fromStdString(has.error().message);
            items->item(index)->setEnabled(false);
            items->item(index)->setToolTip(why);
            kind_->setItemData(index, why, Qt::AccessibleDescriptionRole);
        } else if (chosen < 0 || facts.kind == first) {
            chosen = index;
        }
    }
    kind_->setCurrentIndex(std::max(chosen, 0));
}

PlotOptions PlotDialog::options() const {
    PlotOptions options;
    options.kind = static_cast<PlotKind>(kind_->currentData().toInt());
    options.format = static_cast<PlotFormat>(format_->currentData().toInt());
    options.width = width_->value();
    options.height = height_->value() == height_->minimum() ? 0 : height_->value();
    options.scale = scale_->value();
    options.dark = theme_->currentData().toBool();
    return options;
}

void PlotDialog::preview() {
    Status possible = checkPlotOptions(options());
    PlotOptions small = options();
    small.format = PlotFormat::png;
    small.scale = std::clamp(kPreview.width() * devicePixelRatioF() / small.width, PlotOptions::kLeastScale,
                             PlotOptions::kMostScale);
    const auto drawn = possible ? plotOf(study_, small) : tl::unexpected(possible.error());
    problem_ = drawn ? QString() : QString::fromStdString(drawn.error().message);
    QPixmap pixmap;
    if (drawn) {
        pixmap.loadFromData(reinterpret_cast<const uchar*>(drawn->data()), static_cast<uint>(drawn->size()));
        pixmap = pixmap.scaled(kPreview * devicePixelRatioF(), Qt::KeepAspectRatio, Qt::SmoothTransformation);
        pixmap.setDevicePixelRatio(devicePixelRatioF());
    }
    picture_->setPixmap(pixmap);
    words_->setText(problem_);
    save_->setEnabled(problem_.isEmpty());
    copy_->setEnabled(problem_.isEmpty());
}

void PlotDialog::copy() {
    PlotOptions whole = options();
    whole.format = PlotFormat::png;
    const auto drawn = plotOf(study_, whole);
    if (!drawn) {
        words_->setText(QString::fromStdString(drawn.error().message));
        return;
    }
    QGuiApplication::clipboard()->setImage(
        QImage::fromData(reinterpret_cast<const uchar*>(drawn->data()), static_cast<int>(drawn->size())));
}

}  // namespace mmapscope
