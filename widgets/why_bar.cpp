#include "widgets/why_bar.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "core/text.h"
#include "widgets/text.h"

namespace mmapscope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("mmapscope::WhyChart", text);
}

/// As a run goes, whatever order the file lists them in.
std::size_t placeOf(std::string_view name) {
    constexpr std::string_view kOrder[] = {"open", "deliver", "workload", "touch", "handover", "close"};
    return static_cast<std::size_t>(std::find(std::begin(kOrder), std::end(kOrder), name) -
                                    std::begin(kOrder));
}

double number(Nanoseconds time) {
    return static_cast<double>(time.count());
}

QString plain(const std::string& name) {
    return QString::fromStdString(printable(name));
}

QString insideName(const std::string& name) {
    constexpr std::array kWords{
        std::pair("copy", QT_TRANSLATE_NOOP("mmapscope::WhyChart", "copying")),
        std::pair("minor_faults", QT_TRANSLATE_NOOP("mmapscope::WhyChart", "minor faults")),
        std::pair("huge_allocation", QT_TRANSLATE_NOOP("mmapscope::WhyChart", "allocating huge pages")),
        std::pair("storage_wait", QT_TRANSLATE_NOOP("mmapscope::WhyChart", "waiting for storage")),
        std::pair("page_walk", QT_TRANSLATE_NOOP("mmapscope::WhyChart", "walking page tables"))};
    for (const auto& [key, words] : kWords) {
        if (name == key) {
            return tr(words);
        }
    }
    return plain(name);
}

QString sign(double value) {
    return value < 0 ? QStringLiteral("−") : QString();
}

/// So that it fits Nanoseconds, whatever a file says.
double within(double ns) {
    constexpr double kLongest = 9e18;
    return std::min(std::abs(ns), kLongest);
}

QString figures(double ns, double wall) {
    QString figures = tr("%1 (%2%3 ns)").arg(whyTime(ns), sign(ns), countText(within(ns)));
    if (wall > 0) {
        const double percent = 100 * ns / wall;
        figures += tr(", %1%2 % of wall").arg(sign(percent)).arg(std::abs(percent), 0, 'f', 1);
    }
    return figures;
}

/// Title, then a line for the basis, one for what a negative part means, and one an inside.
void explain(WhySegment& segment, const QString& arm, const AttributedTime& part, double wall) {
    const QString title = tr("%1, %2").arg(arm, segment.name);
    QStringList lines;
    if (!part.basis.empty()) {
        lines << plain(part.basis);
    }
    if (segment.takesBack) {
        lines << tr(
            "below zero: the other parts hold that much more than the wall time, and this takes it "
            "back");
    }
    for (const AttributedTime& inside : part.inside) {
        QString line = tr("• %1 %2").arg(insideName(inside.name), whyTime(number(inside.time)));
        line += inside.basis.empty() ? QString() : tr(": %1").arg(plain(inside.basis));
        lines << line;
    }
    const QString size = figures(number(part.time), wall);
    segment.words = (QStringList(tr("%1: %2").arg(title, size)) + lines).join(u'\n');
    segment.toolTip = QStringLiteral("<b>%1</b>: %2").arg(title.toHtmlEscaped(), size);
    for (const QString& line : lines) {
        segment.toolTip += QStringLiteral("<br>") + line.toHtmlEscaped();
    }
}

std::vector<double> insideEnds(const AttributedTime& part, const WhySegment& segment) {
    std::vector<double> ends;
    double at = segment.begin;
    for (std::size_t i = 0; part.inside.size() > 1 && i < part.inside.size(); ++i) {
        at += std::max(0.0, number(part.inside[i].time));
        ends.push_back(std::min(at, segment.end));
    }
    return ends;
}

}  // namespace

QString whyTime(double ns) {
    const Nanoseconds size(static_cast<Nanoseconds::rep>(std::llround(within(ns))));
    return (size.count() > 0 ? sign(ns) : QString()) + durationText(size);
}

QString whyPercent(double part, double whole) {
    if (whole <= 0) {
        return {};
    }
    const double percent = 100 * part / whole;
    return tr("%1%2 %")
        .arg(percent < 0 ? sign(percent) : QStringLiteral("+"))
        .arg(std::abs(percent), 0, 'f', 1);
}

WhyBar whyBar(const Study& study, const Attribution& attribution) {
    WhyBar bar;
    bar.arm = attribution.arm;
    bar.id = plain(study.arms[attribution.arm].id);
    bar.wall = number(attribution.wall);
    bar.unexplained = number(attribution.unexplained);
    std::vector<AttributedTime> parts;
    for (const AttributedTime& part : attribution.parts) {
        if (part.name != "overlap") {
            parts.push_back(part);
        } else if (part.time.count() > 0) {
            bar.overlap = {plain(part.name), 0, number(part.time), false, {}, {}, {}};
            explain(bar.overlap, bar.id, part, 0);
        }
    }
    std::stable_sort(parts.begin(), parts.end(), [](const AttributedTime& a, const AttributedTime& b) {
        return placeOf(a.name) < placeOf(b.name);
    });
    parts.push_back({"unexplained",
                     attribution.unexplained,
                     tr("wall time less its parts: what the account doesn't tell").toStdString(),
                     {}});
    double end = 0;
    for (const AttributedTime& part : parts) {
        if (part.time.count() > 0) {
            WhySegment segment{plain(part.name), end, end + number(part.time), false, {}, {}, {}};
            segment.insides = insideEnds(part, segment);
            explain(segment, bar.id, part, bar.wall);
            end = segment.end;
            bar.segments.push_back(std::move(segment));
        }
    }
    bar.length = std::max(end, bar.wall);
    for (const AttributedTime& part : parts) {
        if (part.time.count() < 0) {
            WhySegment segment{plain(part.name), end + number(part.time), end, true, {}, {}, {}};
            explain(segment, bar.id, part, bar.wall);
            end = segment.begin;
            bar.segments.push_back(std::move(segment));
        }
    }
    return bar;
}

}  // namespace mmapscope
