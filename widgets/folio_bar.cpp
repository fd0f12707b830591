#include "widgets/folio_bar.h"

#include <QEvent>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <cmath>

#include "core/text.h"
#include "widgets/text.h"
#include "widgets/theme.h"

namespace mmapscope {
namespace {

/// Larger folios are stronger: single pages barely tinted, 2 MiB full.
double strengthOf(Bytes size) {
    const double steps = std::log2(static_cast<double>(kHugePage.count()) / double(pageSize().count()));
    const double step = std::log2(std::max(1.0, double(size.count()) / double(pageSize().count())));
    return 0.18 + 0.82 * std::min(1.0, step / steps);
}

}  // namespace

FolioBar::FolioBar(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Folio sizes"));
}

void FolioBar::setLook(std::optional<FolioLook> look) {
    look_ = std::move(look);
    setAccessibleDescription(look_ ? QString::fromStdString(folioText(*look_)) : QString());
    update();
}

QString FolioBar::basisText(const FolioLook& look) {
    return look.largestFolio
               ? tr("By /proc/kpageflags, at %1 places spread over the cached bytes").arg(look.places)
               : tr("By what one fault maps (/proc/kpageflags is for root), at %1 places spread over the "
                    "cached "
                    "bytes: smaller folios show as the 64 KiB or so that a fault maps around itself")
                     .arg(look.places);
}

QString FolioBar::toolTipAt(int x) const {
    const unsigned all = look_ ? look_->placesTold() : 0;
    if (all == 0 || x < 0 || x >= width()) {
        return {};
    }
    unsigned upTo = 0;
    for (const auto& share : look_->sizes) {
        upTo += share.places;
        if (x < double(width()) * upTo / all) {
            return tr("%1: %2 % of the cached bytes\n%3")
                .arg(QString::fromStdString(formatBytes(share.size)))
                .arg(100.0 * share.places / all, 0, 'f', 0)
                .arg(basisText(*look_));
        }
    }
    return {};
}

void FolioBar::paintEvent(QPaintEvent* /*event*/) {
    const Theme theme = Theme::forPalette(palette());
    QPainter painter(this);
    const QRect strip = rect().adjusted(0, 0, -1, -1);
    painter.fillRect(strip, theme.plotBackground());
    const unsigned all = look_ ? look_->placesTold() : 0;
    unsigned from = 0;
    if (all != 0) {
        for (const auto& share : look_->sizes) {
            const int left = int(std::lround(double(width()) * from / all));
            from += share.places;
            const int right = int(std::lround(double(width()) * from / all));
            QColor color = theme.armColor(0);
            color.setAlphaF(float(strengthOf(share.size)));
            painter.fillRect(left, 0, right - left, height(), color);
            if (left > 0) {
                painter.fillRect(left, 0, 1, height(), theme.plotBackground());  // apart from its neighbour
            }
        }
    }
    painter.setPen(theme.axisLine());
    painter.drawRect(strip);
}

bool FolioBar::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* const help = static_cast<QHelpEvent*>(event);
        const QString tip = toolTipAt(help->pos().x());
        QToolTip::showText(help->globalPos(), tip, this);
        return true;
    }
    if (event->type() == QEvent::PaletteChange) {
        update();
    }
    return QWidget::event(event);
}

}  // namespace mmapscope
