#include "widgets/residency_history_view.h"

#include <QEvent>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <numeric>

#include "widgets/text.h"
#include "widgets/theme.h"

namespace mmapscope {
namespace {

constexpr int kStrip = 9;
constexpr int kGap = 3;
constexpr int kDuring = 45;
constexpr int kWide = 320;  ///< from here on the strips are labelled

double shareOf(const ResidencyHistory::Look& look) {
    return look.cells.empty() ? 1.0
                              : std::accumulate(look.cells.begin(), look.cells.end(), 0.0) /
                                    (255.0 * double(look.cells.size()));
}

QString percentText(double share) {
    // "100 %" and "0 %" only where they are true.
    const double percent = share >= 1 ? 100 : share <= 0 ? 0 : std::clamp(share * 100, 0.1, 99.9);
    return ResidencyHistoryView::tr("%1 %").arg(percent, 0, 'f', percent == 0 || percent == 100 ? 0 : 1);
}

/// An estimate has no decimals to show.
QString shareText(const ResidencyHistory::Look& look) {
    return look.sampled ? ResidencyHistoryView::tr("about %1 %").arg(shareOf(look) * 100, 0, 'f', 0)
                        : percentText(shareOf(look));
}

QString momentText(const ResidencyHistory::Look& look) {
    return durationText(Nanoseconds(look.tNs));
}

}  // namespace

ResidencyHistoryView::ResidencyHistoryView(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Page cache around the inspection run"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setHistory(std::nullopt);
}

void ResidencyHistoryView::setHistory(std::optional<ResidencyHistory> history, int arm,
                                      const QString& title) {
    history_ = std::move(history);
    arm_ = arm;
    title_ = title;
    setAccessibleDescription(text());
    updateGeometry();
    update();
}

QString ResidencyHistoryView::text() const {
    if (!history_) {
        return tr("no run yet");
    }
    if (history_->looks.empty()) {
        return tr("not available: %1").arg(QString::fromStdString(history_->reason));
    }
    return tr("before %1, after %2")
        .arg(shareText(history_->looks.front()), shareText(history_->looks.back()));
}

QSize ResidencyHistoryView::sizeHint() const {
    const int line = fontMetrics().height();
    if (!history_ || history_->looks.empty()) {
        return {180, line * 2};
    }
    return {180, line + 4 + 2 * kStrip + kGap + (hasDuring() ? kDuring + kGap : 0)};
}

QSize ResidencyHistoryView::minimumSizeHint() const {
    return {80, sizeHint().height()};
}

int ResidencyHistoryView::gutter() const {
    if (width() < kWide) {
        return 0;
    }
    // Wide enough for any moment, so that the strips of several arms stand below each other.
    int widest = 0;
    for (const QString& words : {tr("before"), tr("after"), durationText(std::chrono::microseconds(88800))}) {
        widest = std::max(widest, fontMetrics().horizontalAdvance(words));
    }
    return widest + 8;
}

ResidencyHistoryView::Places ResidencyHistoryView::places() const {
    const int left = gutter();
    const int across = std::max(1, width() - left);
    Places places;
    int y = fontMetrics().height() + 4;
    places.before = {left, y, across, kStrip};
    y += kStrip + kGap;
    if (hasDuring()) {
        places.during = {left, y, across, kDuring};
        y += kDuring + kGap;
    }
    places.after = {left, y, across, kStrip};
    return places;
}

std::size_t ResidencyHistoryView::lookAt(const QRect& during, int y) const {
    // Time from the first look in between to the last; one alone fills the place.
    const auto& looks = history_->looks;
    const std::size_t last = looks.size() - 2;
    const double from = double(looks[1].tNs);
    const double moment =
        from + (double(looks[last].tNs) - from) * (y - during.top() + 0.5) / during.height();
    std::size_t nearest = 1;
    for (std::size_t i = 2; i <= last; ++i) {
        if (std::abs(double(looks[i].tNs) - moment) < std::abs(double(looks[nearest].tNs) - moment)) {
            nearest = i;
        }
    }
    return nearest;
}

QRgb ResidencyHistoryView::colourOf(const ResidencyHistory::Look& look, std::size_t cell) const {
    const Theme theme = Theme::forPalette(palette());
    const QColor full = theme.armColor(arm_);
    const QColor none = theme.plotBackground();
    const double share = cell < look.cells.size() ? look.cells[cell] / 255.0 : 1.0;
    // Any is told from none, and some from all.
    const double ink = share <= 0 ? 0 : share >= 1 ? 1 : 0.12 + 0.76 * share;
    const auto mix = [ink](int a, int b) { return int(a + (b - a) * ink); };
    return qRgb(mix(none.red(), full.red()), mix(none.green(), full.green()), mix(none.blue(), full.blue()));
}

QImage ResidencyHistoryView::imageOf(const ResidencyHistory::Look& look) const {
    QImage image(std::max(1, int(look.cells.size())), 1, QImage::Format_RGB32);
    for (int x = 0; x < image.width(); ++x) {
        image.setPixel(x, 0, colourOf(look, std::size_t(x)));
    }
    return image;
}

void ResidencyHistoryView::paintLabels(QPainter& painter, const Places& places) const {
    const int height = fontMetrics().height();
    const auto label = [&](int middle, const QString& words) {
        painter.drawText(QRect(0, middle - height / 2, gutter() - 8, height),
                         Qt::AlignRight | Qt::AlignVCenter, words);
    };
    label(places.before.center().y(), tr("before"));
    if (hasDuring()) {
        const auto& looks = history_->looks;
        if (looks.size() == 3) {
            label(places.during.center().y(), momentText(looks[1]));
        } else {
            label(places.during.top() + height / 2 + 1, momentText(looks[1]));
            label(places.during.bottom() - height / 2 - 1, momentText(looks[looks.size() - 2]));
        }
    }
    label(places.after.center().y(), tr("after"));
}

void ResidencyHistoryView::paintWords(QPainter& painter, const Theme& theme) const {
    const bool any = history_ && !history_->looks.empty();
    QRect place = any ? QRect(0, 0, width(), fontMetrics().height()) : rect();
    if (!title_.isEmpty()) {
        QFont bold = font();
        bold.setBold(true);
        painter.setFont(bold);
        painter.setPen(theme.text());
        const QFontMetrics metrics(bold);
        const QString shown = metrics.elidedText(title_, Qt::ElideRight, width() * 2 / 3);
        painter.drawText(place, Qt::AlignLeft | Qt::AlignTop, shown);
        place.setLeft(metrics.horizontalAdvance(shown) + 10);
        painter.setFont(font());
    }
    painter.setPen(theme.mutedText());
    painter.drawText(place, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, text());
}

void ResidencyHistoryView::paintEvent(QPaintEvent* /*event*/) {
    const Theme theme = Theme::forPalette(palette());
    QPainter painter(this);
    painter.setPen(theme.mutedText());
    paintWords(painter, theme);
    if (!history_ || history_->looks.empty()) {
        return;
    }
    const auto& looks = history_->looks;
    const Places at = places();
    if (gutter() > 0) {
        paintLabels(painter, at);
    }
    const auto strip = [&](const QRect& place, const ResidencyHistory::Look& look) {
        painter.drawImage(place, imageOf(look));
    };
    strip(at.before, looks.front());
    if (hasDuring()) {
        for (int y = at.during.top(); y <= at.during.bottom();) {
            // One image for all the lines that show the same look.
            const std::size_t look = lookAt(at.during, y);
            int end = y + 1;
            while (end <= at.during.bottom() && lookAt(at.during, end) == look) {
                ++end;
            }
            strip({at.during.left(), y, at.during.width(), end - y}, looks[look]);
            y = end;
        }
    }
    strip(at.after, looks.back());
    painter.setPen(theme.axisLine());
    for (const QRect& place : {at.before, at.during, at.after}) {
        if (!place.isEmpty()) {
            painter.drawRect(place.adjusted(0, 0, -1, -1));
        }
    }
}

QString ResidencyHistoryView::toolTipAt(const QPoint& at) const {
    if (!history_ || history_->looks.empty()) {
        return {};
    }
    const auto& looks = history_->looks;
    const Places where = places();
    QString moment;
    const ResidencyHistory::Look* look = nullptr;
    if (where.before.contains(at)) {
        look = &looks.front();
        moment = tr("before the run");
    } else if (where.after.contains(at)) {
        look = &looks.back();
        moment = tr("after the run");
    } else if (where.during.contains(at)) {
        look = &looks[lookAt(where.during, at.y())];
        moment = tr("%1 into the run").arg(momentText(*look));
    } else {
        return {};
    }
    const QString whole = tr("%1: %2 of the file cached").arg(moment, shareText(*look));
    if (look->cells.empty()) {
        return whole;
    }
    const auto cells = look->cells.size();
    const auto cell = std::min(
        cells - 1, std::size_t(at.x() - where.before.left()) * cells / std::size_t(where.before.width()));
    const double begin = double(cell) / double(cells);
    const QString place =
        history_->fileBytes.isZero()
            ? tr("at %1 % of the file").arg(100.0 * begin, 0, 'f', 1)
            : tr("from %1 on")
                  .arg(bytesText(
                      Bytes(static_cast<std::uint64_t>(begin * double(history_->fileBytes.count())))));
    const QString here = look->sampled ? tr("about %1 %").arg(look->cells[cell] / 2.55, 0, 'f', 0)
                                       : percentText(look->cells[cell] / 255.0);
    return tr("%1; here, %2, %3").arg(whole, place, here) +
           (look->sampled ? tr("\n(some pages of each part were looked at: all of them would cost the run)")
                          : QString());
}

bool ResidencyHistoryView::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* const help = static_cast<QHelpEvent*>(event);
        const QString tip = toolTipAt(help->pos());
        if (tip.isEmpty()) {
            QToolTip::hideText();
        } else {
            QToolTip::showText(help->globalPos(), tip, this);
        }
        return true;
    }
    if (event->type() == QEvent::PaletteChange) {
        update();
    }
    return QWidget::event(event);
}

}  // namespace mmapscope
