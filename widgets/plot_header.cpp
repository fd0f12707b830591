#include "widgets/plot_header.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

#include "widgets/glyphs.h"

namespace mmapscope {

namespace {

/// Ends in an ellipsis where there is no room; what it says to a screen reader stays whole.
class ElidedLabel : public QLabel {
  public:
    explicit ElidedLabel(QWidget* parent) : QLabel(parent) {
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    }

  protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setPen(palette().color(foregroundRole()));
        painter.drawText(contentsRect(), Qt::AlignLeft | Qt::AlignVCenter,
                         fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width()));
    }
};

}  // namespace

PlotHeader::PlotHeader(QWidget* parent)
    : QWidget(parent),
      layout_(new QHBoxLayout(this)),
      title_(new QLabel(this)),
      unit_(new ElidedLabel(this)),
      key_(new QWidget(this)) {
    layout_->setContentsMargins(2, 2, 2, 0);
    layout_->setSpacing(8);
    QFont bold = font();
    bold.setBold(true);
    title_->setFont(bold);
    layout_->addWidget(title_);
    layout_->addWidget(unit_, 1);
    layout_->addWidget(key_);
    auto* key = new QHBoxLayout(key_);
    key->setContentsMargins(0, 0, 0, 0);
    key->setSpacing(5);
}

void PlotHeader::show(const QString& title, const QString& unit) {
    title_->setText(title);
    unit_->setText(unit);
}

void PlotHeader::setKey(const std::vector<SeriesKind>& kinds, const Theme& theme) {
    QPalette muted = palette();
    muted.setColor(QPalette::WindowText, theme.mutedText());
    unit_->setPalette(muted);
    qDeleteAll(key_->findChildren<QLabel*>(QString(), Qt::FindDirectChildrenOnly));
    if (kinds.size() < 2) {
        return;
    }
    for (const SeriesKind& kind : kinds) {
        QPen pen(theme.mutedText(), kind.width, kind.dash);
        pen.setCapStyle(Qt::FlatCap);
        const bool major = kind.column == LiveColumn::majorRate || kind.column == LiveColumn::majorTotal;
        auto* sample = new QLabel(key_);
        sample->setPixmap(lineSample(pen, major ? QCPScatterStyle::ssTriangle : QCPScatterStyle::ssNone,
                                     devicePixelRatioF()));
        auto* name = new QLabel(kind.rightAxis ? tr("%1 (right)").arg(kind.name) : kind.name, key_);
        name->setPalette(muted);
        key_->layout()->addWidget(sample);
        key_->layout()->addWidget(name);
        // Children made after their parent was shown stay hidden otherwise.
        sample->setVisible(true);
        name->setVisible(true);
    }
}

void PlotHeader::addControl(QWidget* control) {
    layout_->addWidget(control);
}

}  // namespace mmapscope
