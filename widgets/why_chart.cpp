#include "widgets/why_chart.h"

#include <QEvent>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <cmath>

namespace mmapscope {
namespace {

constexpr int kPad = 6;
/// In the order in which bars are stacked; hues far from their neighbours'.
struct Part {
    const char* name;
    int color;  ///< Theme::armColor
};
constexpr std::array kParts = {Part{"open", 0},        Part{"deliver", 1},  Part{"workload", -1},
                               Part{"touch", 3},       Part{"handover", 4}, Part{"close", 2},
                               Part{"unexplained", -1}};

}  // namespace

struct WhyChart::Place {
    int left = 0;      ///< of the bars
    int width = 0;     ///< of the longest bar
    int top = 0;       ///< of the first row
    int row = 0;       ///< height of a row
    double scale = 0;  ///< pixels a nanosecond
};

WhyChart::WhyChart(QWidget* parent) : QWidget(parent), theme_(Theme::forPalette(palette())) {
    setAccessibleName(tr("Where the time went"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setBars({}, {});
}

void WhyChart::setTheme(const Theme& theme) {
    theme_ = theme;
    update();
}

void WhyChart::setBars(std::vector<WhyBar> bars, const QString& notice) {
    bars_ = std::move(bars);
    notice_ = notice;
    QStringList words;
    for (const WhyBar& bar : bars_) {
        QStringList parts;
        for (const WhySegment& segment : bar.segments) {
            parts << tr("%1 %2%3").arg(segment.name, segment.takesBack ? QStringLiteral("−") : QString(),
                                       whyTime(segment.end - segment.begin));
        }
        words << tr("%1, %2: %3").arg(bar.id, whyTime(bar.wall), parts.join(QStringLiteral(", ")));
    }
    setAccessibleDescription(bars_.empty() ? notice_ : words.join(QStringLiteral("; ")));
    updateGeometry();
    update();
}

QSize WhyChart::sizeHint() const {
    const int line = fontMetrics().height();
    const int rows = static_cast<int>(std::max<std::size_t>(1, bars_.size()));
    return {500, bars_.empty() ? line * 3 : rows * line * 2 + line * 4};
}

QSize WhyChart::minimumSizeHint() const {
    return {260, sizeHint().height()};
}

WhyChart::Place WhyChart::place() const {
    const QFontMetrics metrics = fontMetrics();
    Place place;
    double longest = 1;
    int widest = 0;
    for (const WhyBar& bar : bars_) {
        longest = std::max({longest, bar.length, bar.overlap});
        widest = std::max(widest, metrics.horizontalAdvance(bar.id));
    }
    place.left = kPad + std::min(widest, width() / 3) + 2 * kPad;
    place.width =
        std::max(40, width() - place.left - metrics.horizontalAdvance(QStringLiteral("000.0 ms")) - 3 * kPad);
    place.top = metrics.height() + 2 * kPad;
    place.row = metrics.height() * 2;
    place.scale = place.width / longest;
    return place;
}

QRectF WhyChart::barRect(const Place& place, std::size_t row) const {
    const double height = place.row * 0.6;
    return {double(place.left), place.top + double(place.row) * double(row) + (place.row - height) / 2,
            bars_[row].length * place.scale, height};
}

QColor WhyChart::colorOf(const QString& name) const {
    if (name == QLatin1String("workload")) {
        return theme_.mutedText();
    }
    const auto it = std::find_if(kParts.begin(), kParts.end(),
                                 [&](const Part& part) { return name == QLatin1String(part.name); });
    return it == kParts.end() || it->color < 0 ? theme_.text() : theme_.armColor(it->color);
}

QStringList WhyChart::shownNames() const {
    QStringList names;
    for (const Part& part : kParts) {
        const QString text = QString::fromLatin1(part.name);
        const bool shown = std::any_of(bars_.begin(), bars_.end(), [&](const WhyBar& bar) {
            return std::any_of(bar.segments.begin(), bar.segments.end(), [&](const WhySegment& segment) {
                return segment.name == text && (segment.end - segment.begin) * 200 > bar.wall;
            });
        });
        if (shown) {
            names << text;
        }
    }
    return names;
}

void WhyChart::paintSegment(QPainter& painter, const QRectF& rect, const WhySegment& segment,
                            double scale) const {
    const QColor color = colorOf(segment.name);
    if (segment.takesBack) {
        painter.fillRect(rect, theme_.plotBackground());
        painter.fillRect(rect, QBrush(color, Qt::BDiagPattern));
        painter.setPen(QPen(color, 1, Qt::DashLine));
        painter.drawRect(rect);
    } else if (segment.name == QLatin1String("unexplained")) {
        painter.fillRect(rect, QBrush(color, Qt::Dense6Pattern));
        painter.setPen(QPen(color, 1));
        painter.drawRect(rect);
    } else {
        painter.fillRect(rect, color);
        // Insides in turn lighter, so that they are told apart within their part.
        double begin = rect.left();
        QColor veil = theme_.plotBackground();
        veil.setAlphaF(0.35F);
        for (std::size_t i = 0; i < segment.insides.size(); ++i) {
            const double end = rect.left() + (segment.insides[i] - segment.begin) * scale;
            if (i % 2 == 1) {
                painter.fillRect(QRectF(begin, rect.top(), end - begin, rect.height()), veil);
            }
            begin = end;
        }
    }
    const QString words = segment.name;
    if (fontMetrics().horizontalAdvance(words) + 2 * kPad < rect.width()) {
        const bool onColor = !segment.takesBack && segment.name != QLatin1String("unexplained");
        const QColor ink = !onColor                                                            ? theme_.text()
                           : contrastRatio(color, Qt::white) > contrastRatio(color, Qt::black) ? Qt::white
                                                                                               : Qt::black;
        if (!onColor) {
            // Hatching must not run through the letters.
            QRectF back(0, 0, fontMetrics().horizontalAdvance(words) + 4, fontMetrics().height());
            back.moveCenter(rect.center());
            painter.fillRect(back, theme_.plotBackground());
        }
        painter.setPen(ink);
        painter.drawText(rect, Qt::AlignCenter, words);
    }
}

void WhyChart::paintBar(QPainter& painter, const Place& place, std::size_t row) const {
    const WhyBar& bar = bars_[row];
    const QRectF whole = barRect(place, row);
    painter.setPen(theme_.text());
    const QRectF label(kPad, whole.top(), place.left - 2 * kPad, whole.height());
    painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter,
                     fontMetrics().elidedText(bar.id, Qt::ElideMiddle, static_cast<int>(label.width())));
    for (const WhySegment& segment : bar.segments) {
        const QRectF rect(whole.left() + segment.begin * place.scale, whole.top(),
                          (segment.end - segment.begin) * place.scale, whole.height());
        if (rect.width() >= 0.5) {
            paintSegment(painter, rect, segment, place.scale);
        }
    }
    if (bar.overlap > 0) {
        const QRectF beside(whole.left(), whole.bottom() + 1, bar.overlap * place.scale, 3);
        painter.fillRect(beside, QBrush(theme_.text(), Qt::Dense4Pattern));
    }
    const double wall = whole.left() + bar.wall * place.scale;
    painter.setPen(QPen(theme_.text(), 2));
    painter.drawLine(QPointF(wall, whole.top() - 3), QPointF(wall, whole.bottom() + 3));
    painter.drawText(QRectF(whole.right() + kPad, whole.top(), width(), whole.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, whyTime(bar.wall));
}

void WhyChart::paintAxis(QPainter& painter, const Place& place) const {
    const double longest = place.width / place.scale;
    const double step = std::pow(10, std::floor(std::log10(longest / 2)));
    const double every = longest / step > 10 ? 5 * step : longest / step > 5 ? 2 * step : step;
    const int bottom = place.top + place.row * static_cast<int>(bars_.size());
    for (double at = 0; at <= longest * 1.001; at += every) {
        const double x = place.left + at * place.scale;
        painter.setPen(theme_.gridLine());
        painter.drawLine(QPointF(x, place.top), QPointF(x, bottom));
        painter.setPen(theme_.mutedText());
        const QString text = at == 0 ? QStringLiteral("0") : whyTime(at);
        painter.drawText(QRectF(x - 60, bottom + 2, 120, fontMetrics().height()), Qt::AlignHCenter, text);
    }
}

void WhyChart::paintKey(QPainter& painter, const Place& place) const {
    int x = place.left;
    const int side = fontMetrics().height() - 4;
    for (const QString& name : shownNames()) {
        const QRectF box(x, kPad + 2, side, side);
        const QColor color = colorOf(name);
        painter.fillRect(
            box, name == QLatin1String("unexplained") ? QBrush(color, Qt::Dense6Pattern) : QBrush(color));
        painter.setPen(theme_.axisLine());
        painter.drawRect(box);
        painter.setPen(theme_.text());
        x += side + 4;
        painter.drawText(x, kPad + fontMetrics().ascent(), name);
        x += fontMetrics().horizontalAdvance(name) + 14;
    }
    const QString marks = tr("▏wall   ▨ taken back   ░ helpers beside");
    painter.setPen(theme_.mutedText());
    painter.drawText(x, kPad + fontMetrics().ascent(),
                     fontMetrics().elidedText(marks, Qt::ElideRight, width() - x - kPad));
}

void WhyChart::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.plotBackground());
    if (bars_.empty()) {
        painter.setPen(theme_.mutedText());
        painter.drawText(rect().adjusted(kPad, kPad, -kPad, -kPad), Qt::AlignCenter | Qt::TextWordWrap,
                         notice_);
        return;
    }
    const Place at = place();
    paintKey(painter, at);
    paintAxis(painter, at);
    for (std::size_t row = 0; row < bars_.size(); ++row) {
        paintBar(painter, at, row);
    }
}

QString WhyChart::toolTipAt(const QPoint& at) const {
    const Place where = place();
    for (std::size_t row = 0; row < bars_.size(); ++row) {
        const QRectF whole = barRect(where, row);
        if (!whole.adjusted(0, -3, 1, 6).contains(at)) {
            continue;
        }
        const WhyBar& bar = bars_[row];
        const double ns = (at.x() - whole.left()) / where.scale;
        if (bar.overlap > 0 && at.y() > whole.bottom()) {
            return tr("<b>overlap</b>: helper threads of the source worked %1 beside the rest; not part of "
                      "the sum")
                .arg(whyTime(bar.overlap));
        }
        // What takes back lies on top.
        for (auto it = bar.segments.rbegin(); it != bar.segments.rend(); ++it) {
            if (ns >= it->begin && ns < it->end) {
                return it->toolTip;
            }
        }
    }
    return {};
}

bool WhyChart::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* const help = static_cast<QHelpEvent*>(event);
        const QString text = toolTipAt(help->pos());
        if (text.isEmpty()) {
            QToolTip::hideText();
        } else {
            QToolTip::showText(help->globalPos(), text, this);
        }
        return true;
    }
    return QWidget::event(event);
}

}  // namespace mmapscope
