#include "widgets/text.h"

#include <QCoreApplication>
#include <QFontDatabase>
#include <QFontMetricsF>
#include <QLocale>
#include <cmath>

#include "core/text.h"

namespace mmapscope {

QString bytesText(Bytes bytes) {
    return QString::fromStdString(formatBytes(bytes));
}

QString rateText(double bytesPerSecond) {
    return QString::fromStdString(formatRate(bytesPerSecond));
}

QString durationText(Nanoseconds time) {
    return QString::fromStdString(formatDuration(time));
}

QString durationText(double seconds) {
    return durationText(Nanoseconds(std::llround(seconds * 1e9)));
}

QString countText(double count) {
    return QLocale(QLocale::English).toString(static_cast<qlonglong>(std::llround(count)));
}

QString notAvailableText() {
    return QCoreApplication::translate("Text", "n/a");
}

QFont tabularFont(const QFont& font) {
    const QFontMetricsF metrics(font);
    const double width = metrics.horizontalAdvance(u'0');
    for (char16_t digit = u'1'; digit <= u'9'; ++digit) {
        if (std::abs(metrics.horizontalAdvance(QChar(digit)) - width) > 0.01) {
            QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
            fixed.setPointSizeF(font.pointSizeF());
            return fixed;
        }
    }
    return font;
}

}  // namespace mmapscope
