#include "widgets/residency_bar.h"

#include <QEvent>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "widgets/text.h"
#include "widgets/theme.h"

namespace mmapscope {

ResidencyBar::ResidencyBar(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Page cache"));
    setUnavailable(tr("not looked at yet"));
}

void ResidencyBar::setMap(std::vector<float> map, Bytes fileBytes, std::optional<double> whole) {
    fileBytes_ = fileBytes;
    for (float& share : map) {
        share = std::isnan(share) ? 0.0F : std::clamp(share, 0.0F, 1.0F);
    }
    map_ = std::move(map);
    available_ = true;
    if (map_.empty()) {
        text_ = tr("empty file");
    } else {
        const double mean =
            100 * whole.value_or(std::accumulate(map_.begin(), map_.end(), 0.0) / double(map_.size()));
        // 99.97 is not 100, and 0.02 is not 0.
        const double shown = mean > 99.9 && mean < 100 ? 99.9 : mean > 0 && mean < 0.1 ? 0.1 : mean;
        const bool even = std::abs(shown - std::round(shown)) < 0.05;
        text_ = tr("%1 %").arg(QString::number(shown, 'f', even ? 0 : 1));
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
    setAccessibleDescription(words);
    update();
}

QSize ResidencyBar::sizeHint() const {
    return {220, std::max(18, fontMetrics().height() + 4)};
}

QSize ResidencyBar::minimumSizeHint() const {
    return {90, sizeHint().height()};
}

QRect ResidencyBar::strip() const {
    const int textWidth = fontMetrics().horizontalAdvance(tr("%1 %").arg(QStringLiteral("100.0"))) + 6;
    return {0, (height() - 12) / 2, std::max(10, width() - textWidth), 12};
}

double ResidencyBar::shareAt(int column, int columns) const {
    const auto parts = static_cast<double>(map_.size());
    const auto begin = static_cast<std::size_t>(parts * column / columns);
    const auto end = std::clamp(static_cast<std::size_t>(std::ceil(parts * (column + 1) / columns)),
                                begin + 1, map_.size());
    return std::accumulate(map_.begin() + static_cast<std::ptrdiff_t>(begin),
                           map_.begin() + static_cast<std::ptrdiff_t>(end), 0.0) /
           static_cast<double>(end - begin);
}

QString ResidencyBar::toolTipAt(int x) const {
    const QRect place = strip();
    if (!available_ || map_.empty() || fileBytes_.isZero() || x < place.left() || x > place.right()) {
        return accessibleDescription();
    }
    const int column = x - place.left();
    const Bytes from(static_cast<std::uint64_t>(double(fileBytes_.count()) * column / place.width()));
    const double share = 100 * shareAt(column, place.width());
    const double shown = share > 0 && share < 1 ? 1 : share < 100 ? std::min(share, 99.0) : 100;
    return tr("%1\nFrom %2 on: %3 %").arg(accessibleDescription(), bytesText(from)).arg(shown, 0, 'f', 0);
}

bool ResidencyBar::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* const help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), toolTipAt(help->pos().x()), this);
        return true;
    }
    return QWidget::event(event);
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
    const QRect strip = this->strip();
    painter.fillRect(strip, theme.plotBackground());
    const QColor full = theme.armColor(0);
    for (int x = 0; x < strip.width(); ++x) {
        const double share = shareAt(x, strip.width());
        if (share > 0) {
            QColor color = full;
            color.setAlphaF(static_cast<float>(0.15 + 0.85 * share));
            painter.fillRect(strip.left() + x, strip.top(), 1, strip.height(), color);
        }
    }
    painter.setPen(theme.axisLine());
    painter.drawRect(strip.adjusted(0, 0, -1, -1));
    painter.setPen(theme.text());
    painter.drawText(QRect(strip.right() + 6, 0, width() - strip.right() - 6, height()),
                     Qt::AlignLeft | Qt::AlignVCenter, text_);
}

void ResidencyBar::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        updateGeometry();
        update();
    }
}

}  // namespace mmapscope
