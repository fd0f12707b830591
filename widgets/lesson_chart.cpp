#include "widgets/lesson_chart.h"

#include <algorithm>

namespace mmapscope {

LessonChart::LessonChart(QWidget* parent) : QCustomPlot(parent), theme_(Theme::forPalette(palette())) {
    setObjectName(QStringLiteral("lessonChart"));
    setInteractions(QCP::iNone);
    axisRect()->setMinimumMargins(QMargins(4, 6, 14, 4));
    yAxis->setRangeReversed(true);
    yAxis->grid()->setVisible(false);
    yAxis->setSubTicks(false);
    yAxis->setTickLength(0);
    xAxis->setTickLabels(false);
    xAxis->setSubTicks(false);
    setAccessibleName(tr("What was measured, and your prediction"));
}

QSize LessonChart::sizeHint() const {
    const int line = fontMetrics().height();
    return {400, static_cast<int>(std::max<std::size_t>(2, plot_.bars.size()) + 2) * line * 7 / 4};
}

QSize LessonChart::minimumSizeHint() const {
    return {200, sizeHint().height() / 2};
}

void LessonChart::setTheme(const Theme& theme) {
    theme_ = theme;
    rebuild();
}

void LessonChart::setPlot(LessonPlot plot) {
    plot_ = std::move(plot);
    updateGeometry();
    rebuild();
}

QString LessonChart::words() const {
    QStringList parts;
    for (const LessonBar& bar : plot_.bars) {
        parts << tr("%1: %2").arg(QString::fromStdString(bar.label), QString::fromStdString(bar.text));
    }
    QString text = tr("%1. %2.").arg(QString::fromStdString(plot_.title), parts.join(QStringLiteral("; ")));
    if (!plot_.predictedText.empty()) {
        text += QLatin1Char(' ') + tr("Predicted: %1.").arg(QString::fromStdString(plot_.predictedText));
    }
    return text;
}

void LessonChart::addText(double x, double place, const QString& text, const QColor& color) {
    auto* item = new QCPItemText(this);
    item->position->setCoords(x, place);
    item->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    item->setPadding(QMargins(6, 0, 0, 0));
    item->setFont(font());
    item->setColor(color);
    item->setText(text);
}

void LessonChart::addBar(const LessonBar& bar, double place) {
    const QString text = QString::fromStdString(bar.text);
    if (!bar.value) {
        addText(0, place, text, theme_.mutedText());
        return;
    }
    auto* body = new QCPBars(yAxis, xAxis);
    body->setWidth(0.55);
    const QColor color = theme_.armColor(bar.arm);
    QColor fill = color;
    fill.setAlphaF(0.35F);
    body->setBrush(fill);
    body->setPen(QPen(color, 1.2));
    body->setData({place}, {*bar.value});
    body->setSelectable(QCP::stNone);
    addText(*bar.value, place, text, theme_.text());
}

void LessonChart::addPrediction(double most) {
    if (plot_.predictedText.empty()) {
        return;
    }
    const double bottom = static_cast<double>(plot_.bars.size()) - 0.4;
    const double place = plot_.predicted.value_or(0);
    if (plot_.predicted) {
        auto* line = new QCPItemLine(this);
        line->start->setCoords(place, -0.6);
        line->end->setCoords(place, bottom);
        line->setPen(QPen(theme_.text(), 1.6, Qt::DashLine));
    }
    auto* words = new QCPItemText(this);
    words->position->setCoords(place, bottom + 0.4);
    words->setPositionAlignment((place > most / 2 ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    words->setPadding(QMargins(6, 0, 6, 0));
    QFont italic = font();
    italic.setItalic(true);
    words->setFont(italic);
    words->setColor(theme_.text());
    words->setText(tr("your prediction: %1").arg(QString::fromStdString(plot_.predictedText)));
}

void LessonChart::rebuild() {
    clearPlottables();
    clearItems();
    xAxis->setLabelFont(font());
    yAxis->setTickLabelFont(font());
    theme_.applyTo(this);
    const QSharedPointer<QCPAxisTickerText> names(new QCPAxisTickerText);
    double most = plot_.predicted.value_or(0);
    double place = 0;
    for (const LessonBar& bar : plot_.bars) {
        most = std::max(most, bar.value.value_or(0));
        names->addTick(place, QString::fromStdString(bar.label));
        addBar(bar, place++);
    }
    addPrediction(most);
    yAxis->setTicker(names);
    yAxis->setRange(-0.7, place + (plot_.predictedText.empty() ? -0.3 : 0.5));
    xAxis->setLabel(QString::fromStdString(plot_.title));
    xAxis->setRange(0, most > 0 ? most * 1.3 : 1);  // room for the figures at the right
    setAccessibleDescription(words());
    setToolTip(words());
    replot(QCustomPlot::rpQueuedReplot);
}

void LessonChart::changeEvent(QEvent* event) {
    QCustomPlot::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        setPlot(std::move(plot_));
    }
}

}  // namespace mmapscope
