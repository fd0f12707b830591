// From an attribution to what is drawn of it.
#include <QCoreApplication>
#include <algorithm>

#include "core/text.h"
#include "widgets/why_chart.h"

namespace mmapscope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("mmapscope::WhyChart", text);
}

std::size_t placeOf(std::string_view name) {
    constexpr std::string_view kOrder[] = {"open", "deliver", "workload", "touch", "handover", "close"};
    return static_cast<std::size_t>(std::find(std::begin(kOrder), std::end(kOrder), name) -
                                    std::begin(kOrder));
}

QString percentOf(double part, double whole) {
    return whole > 0 ? tr("%1 % of wall").arg(100 * part / whole, 0, 'f', 1) : QString();
}

QString toolTipOf(const AttributedTime& part, double wall) {
    const auto time = static_cast<double>(part.time.count());
    QString text = tr("<b>%1</b>: %2, %3<br>%4")
                       .arg(QString::fromStdString(part.name), whyTime(time), percentOf(time, wall),
                            QString::fromStdString(part.basis).toHtmlEscaped());
    for (const AttributedTime& inside : part.inside) {
        text +=
            tr("<br>• %1 %2: %3")
                .arg(QString::fromStdString(inside.name), whyTime(static_cast<double>(inside.time.count())),
                     QString::fromStdString(inside.basis).toHtmlEscaped());
    }
    return text;
}

}  // namespace

QString whyTime(double ns) {
    return QString::fromStdString(formatDuration(Nanoseconds(static_cast<Nanoseconds::rep>(ns))));
}

WhyBar whyBar(const Study& study, const Attribution& attribution) {
    WhyBar bar;
    bar.arm = attribution.arm;
    bar.id = QString::fromStdString(study.arms[attribution.arm].id);
    bar.wall = static_cast<double>(attribution.wall.count());
    std::vector<AttributedTime> parts;
    for (const AttributedTime& part : attribution.parts) {
        if (part.name == "overlap") {
            bar.overlap += static_cast<double>(part.time.count());
        } else {
            parts.push_back(part);
        }
    }
    // As a run goes, whatever order the file lists them in.
    std::stable_sort(parts.begin(), parts.end(), [](const AttributedTime& a, const AttributedTime& b) {
        return placeOf(a.name) < placeOf(b.name);
    });
    parts.push_back(
        {"unexplained", attribution.unexplained, tr("wall time less its parts").toStdString(), {}});
    double end = 0;
    for (const AttributedTime& part : parts) {
        const auto time = static_cast<double>(part.time.count());
        if (time <= 0) {
            continue;
        }
        WhySegment segment{QString::fromStdString(part.name), end, end + time, false,
                           toolTipOf(part, bar.wall),         {}};
        double inside = end;
        for (std::size_t i = 0; part.inside.size() > 1 && i < part.inside.size(); ++i) {
            inside += std::max<double>(0, static_cast<double>(part.inside[i].time.count()));
            segment.insides.push_back(std::min(inside, segment.end));
        }
        end += time;
        bar.segments.push_back(std::move(segment));
    }
    bar.length = std::max(end, bar.wall);
    for (const AttributedTime& part : parts) {
        const auto time = static_cast<double>(part.time.count());
        if (time < 0) {
            bar.segments.push_back(
                {QString::fromStdString(part.name), end + time, end, true, toolTipOf(part, bar.wall), {}});
            end += time;
        }
    }
    return bar;
}

}  // namespace mmapscope
