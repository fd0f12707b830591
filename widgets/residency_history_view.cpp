#include "widgets/residency_history_view.h"

#include <QEvent>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <numeric>

#include "widgets/theme.h"

namespace mmapscope {
namespace {

constexpr int kMostHeight = 96;
constexpr int kLeastRow = 8;

QString percentText(double share) {
    // "100 %" and "0 %" only where they are true.
    const double percent = share >= 1 ? 100 : share <= 0 ? 0 : std::clamp(share * 100, 0.1, 99.9);
    return ResidencyHistoryView::tr("%1 %").arg(percent, 0, 'f', percent == 0 || percent == 100 ? 0 : 1);
}

}  // namespace

ResidencyHistoryView::ResidencyHistoryView(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Page cache around the inspection run"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setHistory(std::nullopt);
}

void ResidencyHistoryView::setHistory(std::optional<ResidencyHistory> history) {
    history_ = std::move(history);
    setAccessibleDescription(text());
    updateGeometry();
    update();
}

double ResidencyHistoryView::shareOf(const ResidencyHistory::Look& look) {
    if (look.cells.empty()) {
        return 1;
    }
    return std::accumulate(look.cells.begin(), look.cells.end(), 0.0) / (255.0 * double(look.cells.size()));
}

QString ResidencyHistoryView::text() const {
    if (!history_) {
        return tr("no run yet");
    }
    if (history_->looks.empty()) {
        return tr("not available: %1").arg(QString::fromStdString(history_->reason));
    }
    return tr("before %1, after %2")
        .arg(percentText(shareOf(history_->looks.front())), percentText(shareOf(history_->looks.back())));
}

QSize ResidencyHistoryView::sizeHint() const {
    const int line = fontMetrics().height();
    const int looks = history_ ? int(history_->looks.size()) : 0;
    return {180,
            looks == 0 ? line * 2 : line + 4 + std::clamp(looks * kLeastRow, 2 * kLeastRow, kMostHeight)};
}

QSize ResidencyHistoryView::minimumSizeHint() const {
    return {80, sizeHint().height()};
}

QRect ResidencyHistoryView::strips() const {
    return rect().adjusted(0, fontMetrics().height() + 4, -1, -1);
}

void ResidencyHistoryView::paintEvent(QPaintEvent* /*event*/) {
    const Theme theme = Theme::forPalette(palette());
    QPainter painter(this);
    painter.setPen(theme.mutedText());
    const bool any = history_ && !history_->looks.empty();
    painter.drawText(any ? QRect(0, 0, width(), fontMetrics().height()) : rect(),
                     Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, text());
    if (!any) {
        return;
    }
    const auto& looks = history_->looks;
    const QRect area = strips();
    // A pixel a cell, a line a look, then stretched: two hundred looks cost as little as two.
    const int cells = int(looks.front().cells.size());
    QImage image(std::max(1, cells), int(looks.size()), QImage::Format_RGB32);
    const QColor full = theme.armColor(0);
    const QColor none = theme.plotBackground();
    for (int row = 0; row < image.height(); ++row) {
        const auto& look = looks[std::size_t(row)].cells;
        for (int x = 0; x < image.width(); ++x) {
            const double share = std::size_t(x) < look.size() ? look[std::size_t(x)] / 255.0 : 1;
            const auto mix = [share](int a, int b) { return int(a + (b - a) * share); };
            image.setPixel(x, row,
                           qRgb(mix(none.red(), full.red()), mix(none.green(), full.green()),
                                mix(none.blue(), full.blue())));
        }
    }
    painter.drawImage(area, image);
    painter.setPen(theme.axisLine());
    painter.drawRect(area);
}

QString ResidencyHistoryView::toolTipAt(const QPoint& at) const {
    const QRect area = strips();
    if (!history_ || history_->looks.empty() || !area.contains(at)) {
        return {};
    }
    const auto& looks = history_->looks;
    const auto row = std::min(looks.size() - 1, std::size_t((at.y() - area.top()) * int(looks.size()) /
                                                            std::max(1, area.height())));
    const auto& look = looks[row];
    const QString moment = row == 0 ? tr("before the run")
                           : row + 1 == looks.size()
                               ? tr("after the run")
                               : tr("%1 ms into the run").arg(double(look.tNs) / 1e6, 0, 'f', 1);
    const auto cell =
        std::size_t((at.x() - area.left()) * int(look.cells.size()) / std::max(1, area.width()));
    if (cell >= look.cells.size()) {
        return moment;
    }
    return tr("%1: %2 of the file cached; here, at %3 % of the file, %4")
        .arg(moment, percentText(shareOf(look)))
        .arg(100.0 * double(cell) / double(look.cells.size()), 0, 'f', 1)
        .arg(percentText(look.cells[cell] / 255.0));
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
