#include "widgets/fault_words.h"

#include <QCoreApplication>
#include <algorithm>
#include <bit>

#include "widgets/text.h"

namespace mmapscope {

namespace {

struct FaultWords {
    Q_DECLARE_TR_FUNCTIONS(FaultWords)
};

QString count(std::uint64_t number) {
    return countText(static_cast<double>(number));
}

QString threadText(const TracedRun& run, std::uint32_t thread) {
    const unsigned threads = run.arm().threads;
    if (thread >= threads) {
        return FaultWords::tr("helper thread %1").arg(thread - threads + 1);
    }
    return threads == 1 ? FaultWords::tr("the arm's thread")
                        : FaultWords::tr("thread %1 of %2").arg(thread + 1).arg(threads);
}

unsigned exponentOf(std::uint64_t value) {
    return static_cast<unsigned>(std::bit_width(value)) - 1;
}

}  // namespace

QString faultText(const TracedRun& run, std::size_t fault) {
    const FaultTrace& trace = run.trace();
    const QString when = durationText(Nanoseconds(trace.tNs[fault]));
    const QString kind =
        trace.major[fault] != 0 ? FaultWords::tr("major fault") : FaultWords::tr("minor fault");
    const QString thread = threadText(run, trace.thread[fault]);
    const std::uint64_t offset = trace.offset[fault];
    if (offset == FaultTrace::kElsewhere) {
        return FaultWords::tr("%1: %2 elsewhere, not in the file; %3").arg(when, kind, thread);
    }
    return FaultWords::tr("%1: %2 at file offset %3, page %4; %5")
        .arg(when, kind, bytesText(Bytes(offset)), count(offset / run.page().count()), thread);
}

QString viewText(const FaultTotals& visible) {
    return FaultWords::tr("In view: %1 minor and %2 major faults of the file, %3 elsewhere")
        .arg(count(visible.minor), count(visible.major), count(visible.elsewhere));
}

QStringList faultWarnings(const TracedRun& run) {
    const FaultTrace& trace = run.trace();
    if (trace.lost == 0) {
        return {};
    }
    const auto recorded = static_cast<std::uint64_t>(trace.tNs.size());
    return {FaultWords::tr("⚠ %1 of %2 faults could not be recorded: they came faster than they could be "
                           "taken down, or were more than a trace holds. Picture and figures lack them; a "
                           "smaller byte limit leaves fewer.")
                .arg(count(trace.lost), count(recorded + trace.lost))};
}

QStringList faultNotes(const TracedRun& run) {
    QStringList notes;
    if (run.trace().userOnly) {
        notes << FaultWords::tr(
            "Faults inside system calls are not shown: this user may trace user mode only "
            "(kernel.perf_event_paranoid).");
    }
    if (const auto cost = traceCost(run.study(), run.run().arm)) {
        notes << FaultWords::tr(
                     "The traced and inspected run took %1, an untraced one %2: it is never "
                     "ranked.")
                     .arg(durationText(cost->traced), durationText(cost->untraced));
    } else {
        notes << FaultWords::tr(
                     "The traced and inspected run took %1; no untraced one to compare it with. It "
                     "is never ranked.")
                     .arg(durationText(run.run().wall));
    }
    return notes;
}

QString keyText(const FaultTotals& totals, std::uint32_t threads, const Theme& theme) {
    QStringList entries;
    const auto entry = [&entries](const QColor& color, char16_t shape, const QString& words) {
        QString kept = words.toHtmlEscaped();
        kept.replace(u' ', QChar::Nbsp);  // wraps between entries only
        entries << QStringLiteral("<span style=\"color:%1\">%2</span>&nbsp;%3")
                       .arg(color.name(), QString(QChar(shape)), kept);
    };
    const bool perThread = threads > 0;
    entry(perThread ? theme.mutedText() : theme.minorFault(), u'\u25a0',
          FaultWords::tr("minor %1").arg(count(totals.minor)));
    entry(perThread ? theme.mutedText() : theme.majorFault(), u'\u25b2',
          FaultWords::tr("major %1").arg(count(totals.major)));
    entry(theme.mutedText(), u'\u2503', FaultWords::tr("elsewhere %1").arg(count(totals.elsewhere)));
    for (std::uint32_t i = 0; i < std::min<std::uint32_t>(threads, Theme::kArmColors); ++i) {
        entry(theme.armColor(static_cast<int>(i)), u'\u25cf', FaultWords::tr("thread %1").arg(i + 1));
    }
    return QStringLiteral("<b>%1</b>&emsp;%2")
        .arg(FaultWords::tr("Page faults").toHtmlEscaped(), entries.join(QStringLiteral("&ensp; ")));
}

std::vector<HistogramBin> strideBins(const FaultPattern& pattern, Bytes page) {
    const unsigned first = exponentOf(std::max<std::uint64_t>(1, page.count()));
    unsigned last = std::max(first, exponentOf(kHugePage.count()));
    std::uint64_t same = 0;
    for (const FaultPattern::Stride& stride : pattern.strides) {
        if (stride.bytes == 0) {
            same += stride.count;
        } else {
            last = std::max(last, exponentOf(static_cast<std::uint64_t>(std::abs(stride.bytes))));
        }
    }
    std::vector<HistogramBin> bins;
    if (same > 0) {
        bins.push_back({FaultWords::tr("same page"), false, same, 0});
    }
    const std::size_t lead = bins.size();
    for (unsigned exponent = first; exponent <= last; ++exponent) {
        const bool labelled = exponent == first || exponent == 16 || exponent == 21 || exponent == 26 ||
                              (exponent > 26 && exponent % 5 == 0);
        bins.push_back({bytesText(Bytes(std::uint64_t{1} << exponent)), labelled});
    }
    for (const FaultPattern::Stride& stride : pattern.strides) {
        if (stride.bytes != 0) {
            // Less than a page apart happens only on a machine of other pages: counted with one page.
            const unsigned exponent =
                std::max(first, exponentOf(static_cast<std::uint64_t>(std::abs(stride.bytes))));
            HistogramBin& bin = bins[lead + exponent - first];
            (stride.bytes > 0 ? bin.forward : bin.backward) += stride.count;
        }
    }
    return bins;
}

std::vector<HistogramBin> mappedBins(const FaultPattern& pattern) {
    constexpr unsigned kHugePagePages = 9;  // log2 of 512: a 2 MiB piece of 4 KiB pages
    unsigned last = kHugePagePages;
    for (const FaultPattern::Mapped& mapped : pattern.mapped) {
        last = std::max(last, exponentOf(std::max<std::uint64_t>(1, mapped.pages)));
    }
    std::vector<HistogramBin> bins;
    for (unsigned exponent = 0; exponent <= last; ++exponent) {
        const bool labelled = exponent == 0 || exponent == 4 || exponent == kHugePagePages ||
                              (exponent > kHugePagePages && exponent % 5 == 0);
        bins.push_back({count(std::uint64_t{1} << exponent), labelled});
    }
    for (const FaultPattern::Mapped& mapped : pattern.mapped) {
        bins[exponentOf(std::max<std::uint64_t>(1, mapped.pages))].forward += mapped.count;
    }
    return bins;
}

}  // namespace mmapscope
