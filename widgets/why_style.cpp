#include "widgets/why_style.h"

#include <algorithm>
#include <cmath>

namespace mmapscope {

QColor whyColor(const Theme& theme, const QString& part) {
    // Hues far from those of the neighbours; the work itself, which no source can spare, in grey.
    constexpr int kGrey = -1;
    constexpr int kText = -2;
    constexpr std::array kColors{0, 1, kGrey, 3, 4, 2, kText};
    const auto found = std::find_if(kWhyParts.begin(), kWhyParts.end(),
                                    [&](const char* name) { return part == QLatin1String(name); });
    const int color =
        found == kWhyParts.end() ? kText : kColors[static_cast<std::size_t>(found - kWhyParts.begin())];
    return color >= 0 ? theme.armColor(color) : color == kGrey ? theme.mutedText() : theme.text();
}

QColor whyLighter(const Theme& theme, const QColor& color) {
    constexpr double kContrast = 3;
    constexpr int kSteps = 40;
    const QColor back = theme.plotBackground();
    QColor lighter = color;
    for (int step = 1; step <= kSteps / 2; ++step) {
        const auto mix = [&](int from, int to) {
            return static_cast<int>(std::lround(from + (to - from) * step / double(kSteps)));
        };
        const QColor next(mix(color.red(), back.red()), mix(color.green(), back.green()),
                          mix(color.blue(), back.blue()));
        if (contrastRatio(next, back) < kContrast) {
            break;
        }
        lighter = next;
    }
    return lighter;
}

QColor whyInk(const QColor& color, const QColor& lighter) {
    const auto least = [&](const QColor& ink) {
        return std::min(contrastRatio(ink, color), contrastRatio(ink, lighter));
    };
    return least(Qt::white) > least(Qt::black) ? Qt::white : Qt::black;
}

QBrush whyBrush(const Theme& theme, const QString& part, bool takesBack) {
    const QColor color = whyColor(theme, part);
    return takesBack                              ? QBrush(color, Qt::BDiagPattern)
           : part == QLatin1String("unexplained") ? QBrush(color, Qt::Dense6Pattern)
                                                  : QBrush(color);
}

}  // namespace mmapscope
