#include "widgets/why_chart.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/why_style.h"

namespace mmapscope {
namespace {

constexpr int kPad = 6;
constexpr double kBeside = 5;  ///< height of the line of what ran beside
/// From here on what is unexplained is pointed out.
constexpr double kMuch = 0.10;

}  // namespace

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
    setFocusPolicy(bars_.empty() ? Qt::NoFocus : Qt::StrongFocus);
    if (chosen_ && (chosen_->row >= bars_.size() || chosen_->index >= pieces(chosen_->row))) {
        chosen_.reset();
    }
    emit chosen();  // of the same piece something else may be true now
    describe();
    updateGeometry();
    update();
}

void WhyChart::describe() {
    QStringList words;
    for (const WhyBar& bar : bars_) {
        QStringList parts;
        for (const WhySegment& segment : bar.segments) {
            const double time = (segment.end - segment.begin) * (segment.takesBack ? -1 : 1);
            parts << tr("%1 %2").arg(segment.name, whyTime(time));
        }
        if (const QString percent = whyPercent(bar.unexplained, bar.wall); !percent.isEmpty()) {
            parts << tr("unexplained is %1 of it").arg(percent);
        }
        if (bar.overlap.end > 0) {
            parts << tr("beside it helper threads worked %1").arg(whyTime(bar.overlap.end));
        }
        words << tr("%1, %2: %3").arg(bar.id, whyTime(bar.wall), parts.join(QStringLiteral(", ")));
    }
    setAccessibleDescription(bars_.empty() ? notice_
                                           : tr("Wall times of %1 arms in their parts. %2")
                                                 .arg(bars_.size())
                                                 .arg(words.join(QStringLiteral("; "))));
}

bool WhyChart::takesAnyBack() const {
    return std::any_of(bars_.begin(), bars_.end(), [](const WhyBar& bar) {
        return !bar.segments.empty() && bar.segments.back().takesBack;
    });
}

QSize WhyChart::sizeHint() const {
    const int line = fontMetrics().height();
    if (bars_.empty()) {
        return {500, line * 3};
    }
    const Place at = place();
    return {500,
            static_cast<int>(std::ceil(at.top + at.row * static_cast<double>(bars_.size()))) + line + kPad};
}

void WhyChart::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    updateGeometry();  // the key may need another line
}

QSize WhyChart::minimumSizeHint() const {
    return {260, sizeHint().height()};
}

QString WhyChart::figuresOf(const WhyBar& bar) const {
    constexpr int kNarrow = 600;  // there its letter stands for unexplained, as in the bars
    const QString percent = whyPercent(bar.unexplained, bar.wall);
    return percent.isEmpty()   ? whyTime(bar.wall)
           : width() < kNarrow ? tr("%1 · u %2").arg(whyTime(bar.wall), percent)
                               : tr("%1 · unexplained %2").arg(whyTime(bar.wall), percent);
}

WhyChart::Place WhyChart::place() const {
    const QFontMetrics metrics = fontMetrics();
    Place place;
    double longest = 1;
    int widest = 0;
    int figures = 0;
    for (const WhyBar& bar : bars_) {
        longest = std::max({longest, bar.length, bar.overlap.end});
        widest = std::max(widest, metrics.horizontalAdvance(bar.id));
        figures = std::max(figures, metrics.horizontalAdvance(figuresOf(bar)));
    }
    const int line = metrics.height();
    place.left = kPad + std::min(widest, width() / 4) + 2 * kPad;
    place.width = std::max(40, width() - place.left - std::min(figures, width() / 3) - 3 * kPad);
    place.top = keyEntries().back().box.bottom() + 2 + kPad;
    place.bar = line * 1.25;
    place.lane = takesAnyBack() ? line : 0;
    place.row = line * 0.4 + kBeside + 1 + place.bar + place.lane;
    place.scale = place.width / longest;
    return place;
}

std::size_t WhyChart::pieces(std::size_t row) const {
    return bars_[row].segments.size() + (bars_[row].overlap.end > 0 ? 1 : 0);
}

const WhySegment& WhyChart::segmentOf(const Piece& piece) const {
    const WhyBar& bar = bars_[piece.row];
    return piece.index < bar.segments.size() ? bar.segments[piece.index] : bar.overlap;
}

QRectF WhyChart::rectOf(const Place& place, const Piece& piece) const {
    const WhySegment& segment = segmentOf(piece);
    const double top = place.top + place.row * static_cast<double>(piece.row);
    const double bar = top + kBeside + 1;
    const bool beside = piece.index >= bars_[piece.row].segments.size();
    return {place.left + segment.begin * place.scale,
            beside              ? top
            : segment.takesBack ? bar + place.bar
                                : bar,
            (segment.end - segment.begin) * place.scale,
            beside              ? kBeside
            : segment.takesBack ? place.lane
                                : place.bar};
}

void WhyChart::paintLabel(QPainter& painter, const QRectF& rect, const WhySegment& segment) const {
    const QFontMetrics metrics = fontMetrics();
    const QString size =
        whyTime(segment.takesBack ? segment.begin - segment.end : segment.end - segment.begin);
    // The first letter is enough to tell a part, for it is in the key.
    for (const QString& words : {tr("%1 %2").arg(segment.name, size), segment.name, segment.name.left(1)}) {
        const int room = metrics.horizontalAdvance(words) + (words.size() > 1 ? 2 * kPad : 2);
        if (room > rect.width()) {
            continue;
        }
        const QColor color = whyColor(theme_, segment.name);
        if (segment.takesBack || segment.name == QLatin1String("unexplained")) {
            // Hatching must not run through the letters.
            QRectF back(0, 0, metrics.horizontalAdvance(words) + 4, metrics.ascent() + 1);
            back.moveCenter(rect.center());
            painter.fillRect(back & rect.adjusted(1, 1, -1, -1), theme_.plotBackground());
            painter.setPen(theme_.text());
        } else {
            painter.setPen(whyInk(color, segment.insides.empty() ? color : whyLighter(theme_, color)));
        }
        painter.drawText(rect, Qt::AlignCenter, words);
        return;
    }
}

void WhyChart::paintSegment(QPainter& painter, const QRectF& rect, const WhySegment& segment,
                            double scale) const {
    const QColor color = whyColor(theme_, segment.name);
    const QBrush brush = whyBrush(theme_, segment.name, segment.takesBack);
    if (brush.style() != Qt::SolidPattern) {
        painter.fillRect(rect, brush);
        painter.setPen(QPen(color, 1, segment.takesBack ? Qt::DashLine : Qt::SolidLine));
        painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
    } else {
        // A line of the background keeps neighbours apart where their colours look alike.
        const double gap = rect.width() > 3 ? 1 : 0;
        painter.fillRect(rect.adjusted(0, 0, -gap, 0), brush);
        double begin = rect.left();
        for (std::size_t i = 0; i < segment.insides.size(); ++i) {
            const double end = rect.left() + (segment.insides[i] - segment.begin) * scale;
            if (i % 2 == 1) {
                painter.fillRect(QRectF(begin, rect.top(), end - begin - gap, rect.height()),
                                 whyLighter(theme_, color));
            }
            if (end - begin > 3 && i + 1 < segment.insides.size()) {
                painter.fillRect(QRectF(end - 1, rect.top(), 1, rect.height()), theme_.plotBackground());
            }
            begin = end;
        }
    }
    paintLabel(painter, rect, segment);
}

void WhyChart::paintBar(QPainter& painter, const Place& place, std::size_t row) const {
    const WhyBar& bar = bars_[row];
    const double top = place.top + place.row * static_cast<double>(row);
    const QRectF whole(place.left, top + kBeside + 1, bar.length * place.scale, place.bar);
    painter.setPen(theme_.text());
    const QRectF label(kPad, whole.top(), place.left - 2 * kPad, whole.height());
    painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter,
                     fontMetrics().elidedText(bar.id, Qt::ElideMiddle, static_cast<int>(label.width())));
    bool takesBack = false;
    for (std::size_t index = 0; index < bar.segments.size(); ++index) {
        const QRectF rect = rectOf(place, {row, index});
        takesBack = takesBack || bar.segments[index].takesBack;
        if (rect.width() >= 0.5) {
            paintSegment(painter, rect, bar.segments[index], place.scale);
        }
    }
    if (bar.overlap.end > 0) {
        painter.fillRect(rectOf(place, {row, bar.segments.size()}), QBrush(theme_.text(), Qt::Dense4Pattern));
    }
    const double wall = whole.left() + bar.wall * place.scale;
    painter.setPen(QPen(theme_.text(), 2));
    painter.drawLine(QPointF(wall, whole.top() - 3),
                     QPointF(wall, whole.bottom() + (takesBack ? place.lane : 0) + 2));
    if (chosen_ && chosen_->row == row) {
        const QRectF rect = rectOf(place, *chosen_).adjusted(-2, -2, 2, 2);
        painter.setPen(QPen(theme_.plotBackground(), 4));
        painter.drawRect(rect);
        painter.setPen(QPen(theme_.text(), 2, hasFocus() ? Qt::SolidLine : Qt::DotLine));
        painter.drawRect(rect);
    }
    const bool much = bar.wall > 0 && std::abs(bar.unexplained) >= kMuch * bar.wall;
    painter.setPen(much ? theme_.warning() : theme_.text());
    const double from = std::max(whole.right(), place.left + bar.overlap.end * place.scale) + kPad + 2;
    const QRectF figures(from, whole.top(), std::max(1.0, width() - from), whole.height());
    painter.drawText(
        figures, Qt::AlignLeft | Qt::AlignVCenter,
        fontMetrics().elidedText(figuresOf(bar), Qt::ElideRight, static_cast<int>(figures.width())));
}

void WhyChart::paintAxis(QPainter& painter, const Place& place) const {
    const double longest = place.width / place.scale;
    const double step = std::pow(10, std::floor(std::log10(longest / 2)));
    const double every = longest / step > 10 ? 5 * step : longest / step > 5 ? 2 * step : step;
    const double bottom = place.top + place.row * static_cast<double>(bars_.size());
    const int words = fontMetrics().horizontalAdvance(QStringLiteral("000.0 ms"));
    const bool crowded = every * place.scale < words;
    for (int i = 0; i * every <= longest * 1.001; ++i) {
        const double x = place.left + i * every * place.scale;
        painter.setPen(theme_.gridLine());
        painter.drawLine(QPointF(x, place.top), QPointF(x, bottom));
        if (!crowded || i % 4 == 0) {
            painter.setPen(theme_.mutedText());
            painter.drawText(QRectF(x - 60, bottom + 2, 120, fontMetrics().height()), Qt::AlignHCenter,
                             i == 0 ? QStringLiteral("0") : whyTime(i * every));
        }
    }
}

std::vector<WhyChart::KeyEntry> WhyChart::keyEntries() const {
    // What fills a bar by less than this is not told in the key.
    constexpr double kShown = 0.002;
    std::vector<KeyEntry> entries;
    for (const char* const part : kWhyParts) {
        const QString name = QLatin1String(part);
        const bool shown = std::any_of(bars_.begin(), bars_.end(), [&](const WhyBar& bar) {
            return std::any_of(bar.segments.begin(), bar.segments.end(), [&](const WhySegment& segment) {
                return segment.name == name && segment.end - segment.begin > kShown * bar.wall;
            });
        });
        if (shown) {
            entries.push_back({name, whyBrush(theme_, name, false), whyColor(theme_, name), {}});
        }
    }
    if (takesAnyBack()) {
        entries.push_back(
            {tr("takes back"), QBrush(theme_.mutedText(), Qt::BDiagPattern), theme_.mutedText(), {}});
    }
    if (std::any_of(bars_.begin(), bars_.end(), [](const WhyBar& bar) { return bar.overlap.end > 0; })) {
        entries.push_back(
            {tr("helpers, beside"), QBrush(theme_.text(), Qt::Dense4Pattern), theme_.mutedText(), {}});
    }
    entries.push_back({tr("wall time"), Qt::NoBrush, Qt::transparent, {}});
    // One after the other, on a new line where there is no more room.
    const QFontMetrics metrics = fontMetrics();
    const int side = metrics.height() - 4;
    int x = kPad;
    int y = kPad;
    for (KeyEntry& entry : entries) {
        const int room = side + 4 + metrics.horizontalAdvance(entry.words) + 12;
        if (x > kPad && x + room > width()) {
            x = kPad;
            y += metrics.height() + 2;
        }
        entry.box = QRect(x, y + 2, side, side);
        x += room;
    }
    return entries;
}

void WhyChart::paintKey(QPainter& painter) const {
    for (const KeyEntry& entry : keyEntries()) {
        painter.fillRect(entry.box, entry.brush);
        painter.setPen(entry.frame);
        painter.drawRect(entry.box);
        if (entry.brush.style() == Qt::NoBrush) {
            painter.setPen(QPen(theme_.text(), 2));
            const int x = entry.box.center().x();
            painter.drawLine(x, entry.box.top() - 1, x, entry.box.bottom() + 1);
        }
        painter.setPen(theme_.text());
        painter.drawText(entry.box.right() + 5, entry.box.top() - 2 + fontMetrics().ascent(), entry.words);
    }
}

void WhyChart::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    paint(painter);
}

void WhyChart::paint(QPainter& painter) const {
    painter.setFont(font());
    painter.fillRect(rect(), theme_.plotBackground());
    if (bars_.empty()) {
        painter.setPen(theme_.mutedText());
        painter.drawText(rect().adjusted(kPad, kPad, -kPad, -kPad), Qt::AlignCenter | Qt::TextWordWrap,
                         notice_);
        return;
    }
    const Place at = place();
    paintKey(painter);
    paintAxis(painter, at);
    for (std::size_t row = 0; row < bars_.size(); ++row) {
        paintBar(painter, at, row);
    }
}

}  // namespace mmapscope
