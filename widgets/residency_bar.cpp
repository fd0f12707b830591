#include "widgets/residency_bar.h"

#include <QEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "widgets/theme.h"

namespace mmapscope {

ResidencyBar::ResidencyBar(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Page cache"));
    setUnavailable(tr("not looked at yet"));
}

void ResidencyBar::setMap(std::vector<float> map) {
    for (float& share : map) {
        share = std::isnan(share) ? 0.0F : std::clamp(share, 0.0F, 1.0F);
    }
    map_ = std::move(map);
    available_ = true;
    if (map_.empty()) {
        text_ = tr("empty file");
    } else {
        const double mean =
            std::accumulate(map_.begin(), map_.end(), 0.0) / static_cast<double>(map_.size()) * 100;
        // 99.97 is not 100, and 0.02 is not 0.
        const double shown = mean > 99.9 && mean < 100 ? 99.9 : mean > 0 && mean < 0.1 ? 0.1 : mean;
        const bool whole = std::abs(shown - std::round(shown)) < 0.05;
        text_ = tr("%1 %").arg(QString::number(shown, 'f', whole ? 0 : 1));
    }
    describe();
}

void ResidencyBar::setUnavailable(const QString& why) {
    map_.clear();
    available_ = false;
    text_ = why;
    describe();
}

void ResidencyBar::describe() {
    const QString words =
        available_
            ? tr("In the page cache now: %1. From the file's begin (left) to its end, filled where resident.")
                  .arg(text_)
            : tr("In the page cache: %1").arg(text_);
    setToolTip(words);
    setAccessibleDescription(words);
    update();
}

QSize ResidencyBar::sizeHint() const {
    return {220, std::max(18, fontMetrics().height() + 4)};
}

QSize ResidencyBar::minimumSizeHint() const {
    return {90, sizeHint().height()};
}

void ResidencyBar::paintEvent(QPaintEvent*) {
    const Theme theme = Theme::forPalette(palette());
    QPainter painter(this);
    if (!available_ || map_.empty()) {
        painter.setPen(theme.mutedText());
        painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter,
                         fontMetrics().elidedText(text_, Qt::ElideRight, width()));
        return;
    }
    const int textWidth = fontMetrics().horizontalAdvance(tr("%1 %").arg(QStringLiteral("100.0"))) + 6;
    const QRect strip(0, (height() - 12) / 2, std::max(10, width() - textWidth), 12);
    painter.fillRect(strip, theme.plotBackground());
    // A column of the strip shows the mean of the parts it covers.
    const QColor full = theme.armColor(0);
    const auto parts = static_cast<double>(map_.size());
    for (int x = 0; x < strip.width(); ++x) {
        const auto begin = static_cast<std::size_t>(parts * x / strip.width());
        const auto end = std::clamp(static_cast<std::size_t>(std::ceil(parts * (x + 1) / strip.width())),
                                    begin + 1, map_.size());
        const double share = std::accumulate(map_.begin() + static_cast<std::ptrdiff_t>(begin),
                                             map_.begin() + static_cast<std::ptrdiff_t>(end), 0.0) /
                             static_cast<double>(end - begin);
        if (share > 0) {
            QColor color = full;
            color.setAlphaF(static_cast<float>(0.15 + 0.85 * share));
            painter.fillRect(strip.left() + x, strip.top(), 1, strip.height(), color);
        }
    }
    painter.setPen(theme.axisLine());
    painter.drawRect(strip.adjusted(0, 0, -1, -1));
    painter.setPen(theme.text());
    painter.drawText(QRect(strip.right() + 6, 0, textWidth, height()), Qt::AlignLeft | Qt::AlignVCenter,
                     text_);
}

void ResidencyBar::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        updateGeometry();
        update();
    }
}

}  // namespace mmapscope
