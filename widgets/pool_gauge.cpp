#include "widgets/pool_gauge.h"

#include <QPainter>
#include <algorithm>

#include "widgets/text.h"
#include "widgets/theme.h"

namespace mmapscope {

PoolGauge::PoolGauge(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Huge-page pool"));
    setPool(std::nullopt);
}

void PoolGauge::setPool(const std::optional<PoolFacts>& pool) {
    pool_ = pool;
    QString words = tr("This kernel has no huge-page pool");
    if (pool_) {
        words = tr("Pool of %1 pages: %2 in all, %3 free (%4 of them reserved), %5 surplus")
                    .arg(bytesText(pool_->size), QString::number(pool_->total), QString::number(pool_->free),
                         QString::number(pool_->reserved), QString::number(pool_->surplus));
    }
    setAccessibleDescription(words);
    setToolTip(words);
    update();
}

void PoolGauge::paintEvent(QPaintEvent*) {
    const Theme theme = Theme::forPalette(palette());
    QPainter painter(this);
    const QRect bar(0, 3, width() - 1, 12);
    painter.fillRect(bar, theme.plotBackground());
    if (pool_ && pool_->total > 0) {
        const auto total = static_cast<double>(pool_->total);
        const auto at = [&](std::uint64_t pages) {
            return bar.left() +
                   static_cast<int>(std::min(1.0, static_cast<double>(pages) / total) * bar.width());
        };
        const std::uint64_t used = pool_->total - std::min(pool_->free, pool_->total);
        const QColor color = theme.armColor(0);
        painter.fillRect(QRect(QPoint(bar.left(), bar.top()), QPoint(at(used) - 1, bar.bottom())), color);
        QColor promised = color;
        promised.setAlphaF(0.4F);
        const QRect reserved(QPoint(at(used), bar.top()),
                             QPoint(at(used + pool_->reserved) - 1, bar.bottom()));
        painter.fillRect(reserved, promised);
        if (pool_->surplus > 0) {
            const QRect surplus(QPoint(at(pool_->total - std::min(pool_->surplus, pool_->total)), bar.top()),
                                bar.bottomRight());
            painter.fillRect(surplus, QBrush(theme.warning(), Qt::BDiagPattern));
        }
    }
    painter.setPen(theme.axisLine());
    painter.drawRect(bar);
}

}  // namespace mmapscope
