#include "widgets/theme.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mmapscope {

namespace {

double linear(double channel) {
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& color) {
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

QColor mixed(const QColor& a, const QColor& b, double shareOfB) {
    const auto mix = [shareOfB](int from, int to) {
        return static_cast<int>(std::lround(from + (to - from) * shareOfB));
    };
    return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

/// The nearest colour of the same hue that stands out from every background by `wanted`.
QColor standingOut(const QColor& color, const QColor& plot, const QColor& surface, bool dark, double wanted) {
    const QColor towards = dark ? QColor(Qt::white) : QColor(Qt::black);
    for (int step = 0; step <= 25; ++step) {
        const QColor candidate = mixed(color, towards, step / 25.0);
        if (contrastRatio(candidate, plot) >= wanted && contrastRatio(candidate, surface) >= wanted) {
            return candidate;
        }
    }
    return towards;
}

struct Hue {
    QRgb light;  ///< for light backgrounds
    QRgb dark;
};

// Okabe and Ito's eight, in the order in which neighbours differ most. On white their yellow, orange and sky
// blue are too pale, on dark their blue and black too dim: those are moved in lightness, not in hue.
constexpr std::array<Hue, Theme::kArmColors> kArms{{
    {0xff0072b2, 0xff4aa3df},  // blue
    {0xffcc5500, 0xfff0793a},  // vermillion
    {0xff008a64, 0xff23c197},  // bluish green
    {0xffb4558b, 0xffe09cc4},  // reddish purple
    {0xffa86f00, 0xfff2b134},  // orange
    {0xff2b87bd, 0xff9bdcff},  // sky blue
    {0xff2f3437, 0xffe6e8ea},  // black, or its counterpart
    {0xff857a00, 0xfff0e442},  // yellow
}};

constexpr std::array kDashes{Qt::SolidLine, Qt::DashLine, Qt::DashDotLine, Qt::DotLine};
constexpr std::array kMarkers{QCPScatterStyle::ssDisc,
                              QCPScatterStyle::ssSquare,
                              QCPScatterStyle::ssTriangle,
                              QCPScatterStyle::ssDiamond,
                              QCPScatterStyle::ssTriangleInverted,
                              QCPScatterStyle::ssCircle,
                              QCPScatterStyle::ssPlus,
                              QCPScatterStyle::ssCross};

}  // namespace

double contrastRatio(const QColor& a, const QColor& b) {
    const double one = luminance(a);
    const double other = luminance(b);
    return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
}

Theme Theme::forPalette(const QPalette& palette) {
    Theme theme;
    theme.surface_ = palette.color(QPalette::Active, QPalette::Window);
    theme.plotBackground_ = palette.color(QPalette::Active, QPalette::Base);
    theme.text_ = palette.color(QPalette::Active, QPalette::Text);
    theme.dark_ = luminance(theme.plotBackground_) < luminance(theme.text_);
    theme.gridLine_ = mixed(theme.plotBackground_, theme.text_, 0.11);
    theme.axisLine_ = mixed(theme.plotBackground_, theme.text_, 0.35);
    theme.mutedText_ = standingOut(mixed(theme.plotBackground_, theme.text_, 0.62), theme.plotBackground_,
                                   theme.surface_, theme.dark_, 4.5);
    return theme;
}

QColor Theme::armColor(int index) const {
    const Hue& hue = kArms[static_cast<std::size_t>(index) % kArms.size()];
    return standingOut(QColor::fromRgb(dark_ ? hue.dark : hue.light), plotBackground_, plotBackground_, dark_,
                       3);
}

Qt::PenStyle Theme::armDash(int index) const {
    const auto i = static_cast<std::size_t>(index);
    return kDashes[(i + i / kArms.size()) % kDashes.size()];
}

QCPScatterStyle::ScatterShape Theme::armMarker(int index) const {
    const auto i = static_cast<std::size_t>(index);
    return kMarkers[(i + i / kArms.size()) % kMarkers.size()];
}

QPen Theme::armPen(int index) const {
    QPen pen(armColor(index), 1.8, armDash(index));
    pen.setCapStyle(Qt::FlatCap);
    pen.setJoinStyle(Qt::BevelJoin);  // round joins cost half of a frame
    return pen;
}

QColor Theme::minorFault() const {
    return armColor(0);
}

QColor Theme::majorFault() const {
    return armColor(1);
}

QColor Theme::warning() const {
    return standingOut(QColor::fromRgb(dark_ ? 0xfff2b134 : 0xff8a5a00), plotBackground_, surface_, dark_,
                       4.5);
}

QColor Theme::good() const {
    return standingOut(QColor::fromRgb(dark_ ? 0xff23c197 : 0xff00714f), plotBackground_, surface_, dark_,
                       4.5);
}

QColor Theme::bad() const {
    return standingOut(QColor::fromRgb(dark_ ? 0xffff7a6b : 0xffb3261e), plotBackground_, surface_, dark_,
                       4.5);
}

void Theme::applyTo(QCustomPlot* plot) const {
    plot->setBackground(QBrush(plotBackground_));
    for (QCPAxisRect* rect : plot->axisRects()) {
        rect->setBackground(QBrush(plotBackground_));
        for (QCPAxis* axis : rect->axes()) {
            axis->setBasePen(QPen(axisLine_, 1));
            axis->setTickPen(QPen(axisLine_, 1));
            axis->setSubTickPen(QPen(gridLine_, 1));
            axis->setTickLabelColor(mutedText_);
            axis->setLabelColor(mutedText_);
            axis->setTickLabelFont(plot->font());
            axis->setLabelFont(plot->font());
            axis->grid()->setPen(QPen(gridLine_, 1));
            axis->grid()->setSubGridVisible(false);
            axis->grid()->setZeroLinePen(QPen(axisLine_, 1));
        }
    }
    if (plot->legend != nullptr) {
        plot->legend->setBrush(QBrush(plotBackground_));
        plot->legend->setBorderPen(QPen(gridLine_));
        plot->legend->setTextColor(text_);
        plot->legend->setFont(plot->font());
    }
}

}  // namespace mmapscope
