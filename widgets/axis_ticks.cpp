#include "widgets/axis_ticks.h"

#include <array>
#include <cmath>

namespace mmapscope {

namespace {

/// At most so many decimals, no exponent, no trailing zeros.
QString withDecimals(double value, int decimals) {
    QString text = QString::number(value, 'f', decimals);
    if (text.contains(u'.')) {
        while (text.endsWith(u'0')) {
            text.chop(1);
        }
        if (text.endsWith(u'.')) {
            text.chop(1);
        }
    }
    return text == QStringLiteral("-0") ? QStringLiteral("0") : text;
}

/// At most four significant digits, no exponent, no trailing zeros.
QString plainNumber(double value) {
    if (value == 0) {
        return QStringLiteral("0");
    }
    const int digits = static_cast<int>(std::floor(std::log10(std::abs(value))));
    return withDecimals(value, std::clamp(3 - digits, 0, 12));
}

constexpr double kKiB = 1U << 10U;
constexpr double kMiB = 1U << 20U;

bool inKiB(const QCPRange& range) {
    return range.size() < kMiB;
}

}  // namespace

QString compactNumber(double value) {
    constexpr std::array<std::pair<double, const char*>, 3> kLetters{{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}}};
    for (const auto& [factor, letter] : kLetters) {
        if (std::abs(value) >= factor) {
            return plainNumber(value / factor) + QLatin1String(letter);
        }
    }
    return plainNumber(value);
}

double binaryStep(double range, int count) {
    return std::exp2(std::round(std::log2(range / count)));
}

TimeUnit timeUnitFor(double seconds) {
    constexpr std::array<TimeUnit, 4> kUnits{{{1, "s"}, {1e3, "ms"}, {1e6, "µs"}, {1e9, "ns"}}};
    for (const TimeUnit& unit : kUnits) {
        if (seconds * unit.perSecond >= 1) {
            return unit;
        }
    }
    return kUnits.back();
}

double BinaryTicker::getTickStep(const QCPRange& range) {
    return range.size() > 0 ? binaryStep(range.size(), tickCount()) : 1;
}

QString BinaryTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
    return plainNumber(tick);
}

QString OffsetTicker::unitOf(const QCPRange& range) {
    return inKiB(range) ? QStringLiteral("KiB") : QStringLiteral("MiB");
}

double OffsetTicker::getTickStep(const QCPRange& range) {
    unit_ = inKiB(range) ? kKiB : kMiB;
    return BinaryTicker::getTickStep(range);
}

QString OffsetTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
    // All its digits: far into a large file, neighbouring ticks differ in the last ones. Steps are powers of
    // two.
    return withDecimals(tick / unit_, 3);
}

QString NumberTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
    return letters_ ? compactNumber(tick) : plainNumber(tick);
}

QString TimeTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
    return plainNumber(tick * unit_.perSecond);
}

}  // namespace mmapscope
