#include "widgets/live_series.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>

namespace mmapscope {

namespace {

struct LiveSeriesWords {
    Q_DECLARE_TR_FUNCTIONS(LiveSeriesWords)
};

constexpr std::array kSeries{
    SeriesFacts{LiveColumn::throughput, LivePlotKind::throughput, "throughput", true},
    SeriesFacts{LiveColumn::minorRate, LivePlotKind::faults, "minor-faults", true},
    SeriesFacts{LiveColumn::majorRate, LivePlotKind::faults, "major-faults", true},
    SeriesFacts{LiveColumn::file, LivePlotKind::memory, "file", true},
    SeriesFacts{LiveColumn::anon, LivePlotKind::memory, "anon", true},
    SeriesFacts{LiveColumn::shmem, LivePlotKind::memory, "shmem", true},
    SeriesFacts{LiveColumn::huge, LivePlotKind::memory, "hugetlb", true},
    // Part of file, anon and shmem: counted once while these are shown.
    SeriesFacts{LiveColumn::hugeBacked, LivePlotKind::memory, "huge-backed", false},
    SeriesFacts{LiveColumn::pageTables, LivePlotKind::memory, "page-tables", true},
    SeriesFacts{LiveColumn::anonHuge, LivePlotKind::hugePages, "anon-huge", true},
    SeriesFacts{LiveColumn::pmdMapped, LivePlotKind::hugePages, "pmd-mapped", true},
    SeriesFacts{LiveColumn::poolFree, LivePlotKind::hugePages, "pool-free", true},
    SeriesFacts{LiveColumn::thpEligible, LivePlotKind::hugePages, "thp-eligible", true},
    SeriesFacts{LiveColumn::storageRate, LivePlotKind::storage, "storage-read", false},
    SeriesFacts{LiveColumn::voluntaryRate, LivePlotKind::scheduling, "voluntary-switches", false},
    SeriesFacts{LiveColumn::involuntaryRate, LivePlotKind::scheduling, "involuntary-switches", false},
    SeriesFacts{LiveColumn::shootdownRate, LivePlotKind::machine, "tlb-shootdowns", false},
    SeriesFacts{LiveColumn::refaultRate, LivePlotKind::machine, "workingset-refaults", false},
    SeriesFacts{LiveColumn::memoryPressure, LivePlotKind::pressure, "memory-pressure", false},
    SeriesFacts{LiveColumn::ioPressure, LivePlotKind::pressure, "io-pressure", false},
};

bool isOfSmaps(LiveColumn column) {
    return column == LiveColumn::hugeBacked || column == LiveColumn::thpEligible ||
           column == LiveColumn::anonHuge || column == LiveColumn::pmdMapped;
}

/// Where the figure should have come from, and what is likely to stand in its way.
QString obstacle(LiveColumn column) {
    switch (column) {
        case LiveColumn::shootdownRate:
            return LiveSeriesWords::tr("/proc/interrupts has no line TLB (only x86 kernels count them)");
        case LiveColumn::refaultRate:
            return LiveSeriesWords::tr("/proc/vmstat has no line workingset_refault_file");
        case LiveColumn::memoryPressure:
        case LiveColumn::ioPressure:
            return LiveSeriesWords::tr(
                       "/proc/pressure/%1 isn't there: a kernel before 4.20, or one that needs psi=1 at boot")
                .arg(column == LiveColumn::ioPressure ? QStringLiteral("io") : QStringLiteral("memory"));
        case LiveColumn::poolFree:
            return LiveSeriesWords::tr("this kernel has no pool of 2 MiB pages");
        default:
            return LiveSeriesWords::tr("it couldn't be read: %1").arg(seriesSource(column));
    }
}

}  // namespace

std::span<const SeriesFacts> allSeries() {
    return kSeries;
}

SeriesSet seriesAtFirst() {
    SeriesSet set;
    for (const SeriesFacts& series : kSeries) {
        set.set(static_cast<std::size_t>(series.column), series.shownAtFirst);
    }
    return set;
}

bool shows(const SeriesSet& set, LivePlotKind plot) {
    return std::any_of(kSeries.begin(), kSeries.end(), [&](const SeriesFacts& series) {
        return series.plot == plot && contains(set, series.column);
    });
}

QStringList keysOf(const SeriesSet& set) {
    QStringList keys;
    for (const SeriesFacts& series : kSeries) {
        if (contains(set, series.column)) {
            keys << QString::fromLatin1(series.key);
        }
    }
    return keys;
}

SeriesSet seriesOf(const QStringList& keys) {
    SeriesSet set;
    for (const SeriesFacts& series : kSeries) {
        set.set(static_cast<std::size_t>(series.column), keys.contains(QLatin1String(series.key)));
    }
    return set.any() ? set : seriesAtFirst();
}

QString titleOf(LivePlotKind plot) {
    switch (plot) {
        case LivePlotKind::throughput:
            return LiveSeriesWords::tr("Throughput");
        case LivePlotKind::faults:
            return LiveSeriesWords::tr("Page faults");
        case LivePlotKind::memory:
            return LiveSeriesWords::tr("Memory");
        case LivePlotKind::hugePages:
            return LiveSeriesWords::tr("Huge pages and pool");
        case LivePlotKind::storage:
            return LiveSeriesWords::tr("Storage");
        case LivePlotKind::scheduling:
            return LiveSeriesWords::tr("Scheduling");
        case LivePlotKind::machine:
            return LiveSeriesWords::tr("Whole machine");
        case LivePlotKind::pressure:
            break;
    }
    return LiveSeriesWords::tr("Whole machine: pressure");
}

QString helpOf(LivePlotKind plot) {
    switch (plot) {
        case LivePlotKind::throughput:
            return LiveSeriesWords::tr("Bytes of the file that the arm's threads have worked through.");
        case LivePlotKind::faults:
            return LiveSeriesWords::tr(
                "Page faults of the arm's threads. Minor: the page was in memory and only had to be mapped. "
                "Major: the fault waited for storage.");
        case LivePlotKind::memory:
            return LiveSeriesWords::tr(
                "file, anon and shmem add up to RSS. Hugetlb pages are not part of RSS. Huge-backed is what "
                "large pages really hold of all these: it lies within them and does not add to them.");
        case LivePlotKind::hugePages:
            return LiveSeriesWords::tr(
                "Eligible is not huge-backed. THPeligible says whether the kernel may give this mapping huge "
                "pages of its own; AnonHugePages and PmdMapped (FilePmdMapped and ShmemPmdMapped) say how "
                "much of it huge pages really back. A mapping can be eligible and have none, and a mapped "
                "file can have many without being eligible, where the page cache holds large folios. Pool "
                "free: pages reserved for hugetlb that nobody has taken.");
        case LivePlotKind::storage:
            return LiveSeriesWords::tr(
                "Bytes that storage was asked for on behalf of the arm's process; what "
                "the page cache already held is not in it.");
        case LivePlotKind::scheduling:
            return LiveSeriesWords::tr(
                "Context switches of the arm's process, its helper threads and the observer included. "
                "Voluntary: it waited, for storage or a lock. Involuntary: its CPU was given to others.");
        case LivePlotKind::machine:
        case LivePlotKind::pressure:
            break;
    }
    return LiveSeriesWords::tr(
        "What the whole machine saw while an arm was at work, other programs included: not the arm's own. "
        "Looked at about ten times a second; a step is the mean from one look to the next.");
}

QString seriesName(LiveColumn column) {
    switch (column) {
        case LiveColumn::throughput:
            return LiveSeriesWords::tr("throughput");
        case LiveColumn::minorRate:
        case LiveColumn::minorTotal:
            return LiveSeriesWords::tr("minor");
        case LiveColumn::majorRate:
        case LiveColumn::majorTotal:
            return LiveSeriesWords::tr("major");
        case LiveColumn::anon:
            return LiveSeriesWords::tr("anon");
        case LiveColumn::file:
            return LiveSeriesWords::tr("file");
        case LiveColumn::shmem:
            return LiveSeriesWords::tr("shmem");
        case LiveColumn::huge:
            return LiveSeriesWords::tr("hugetlb pages");
        case LiveColumn::hugeBacked:
            return LiveSeriesWords::tr("huge-backed");
        case LiveColumn::pageTables:
            return LiveSeriesWords::tr("page tables");
        case LiveColumn::thpEligible:
            return QStringLiteral("THPeligible");
        case LiveColumn::anonHuge:
            return QStringLiteral("AnonHugePages");
        case LiveColumn::pmdMapped:
            return QStringLiteral("PmdMapped");
        case LiveColumn::poolFree:
            return LiveSeriesWords::tr("pool free");
        case LiveColumn::storageRate:
            return LiveSeriesWords::tr("read");
        case LiveColumn::voluntaryRate:
            return LiveSeriesWords::tr("voluntary");
        case LiveColumn::involuntaryRate:
            return LiveSeriesWords::tr("involuntary");
        case LiveColumn::shootdownRate:
            return LiveSeriesWords::tr("TLB shootdowns");
        case LiveColumn::refaultRate:
            return LiveSeriesWords::tr("refaults");
        case LiveColumn::memoryPressure:
            return LiveSeriesWords::tr("memory pressure");
        case LiveColumn::ioPressure:
            return LiveSeriesWords::tr("I/O pressure");
        case LiveColumn::poolTotal:
        case LiveColumn::count:
            break;
    }
    return {};
}

QString seriesUnit(LiveColumn column) {
    switch (column) {
        case LiveColumn::throughput:
        case LiveColumn::storageRate:
            return LiveSeriesWords::tr("MiB/s");
        case LiveColumn::minorRate:
        case LiveColumn::majorRate:
            return LiveSeriesWords::tr("faults/s");
        case LiveColumn::thpEligible:
            return LiveSeriesWords::tr("yes or no");
        case LiveColumn::voluntaryRate:
        case LiveColumn::involuntaryRate:
            return LiveSeriesWords::tr("context switches/s");
        case LiveColumn::shootdownRate:
            return LiveSeriesWords::tr("per s");
        case LiveColumn::refaultRate:
            return LiveSeriesWords::tr("pages/s");
        case LiveColumn::memoryPressure:
        case LiveColumn::ioPressure:
            return LiveSeriesWords::tr("% of time");
        default:
            return LiveSeriesWords::tr("MiB");
    }
}

QString seriesSource(LiveColumn column) {
    switch (column) {
        case LiveColumn::throughput:
            return LiveSeriesWords::tr("the arm's own stamps");
        case LiveColumn::minorRate:
        case LiveColumn::majorRate:
            return LiveSeriesWords::tr("getrusage, RUSAGE_THREAD");
        case LiveColumn::anon:
            return LiveSeriesWords::tr("RssAnon of /proc/self/status: heap and buffers");
        case LiveColumn::file:
            return LiveSeriesWords::tr("RssFile of /proc/self/status: mapped page cache");
        case LiveColumn::shmem:
            return LiveSeriesWords::tr("RssShmem of /proc/self/status: mapped tmpfs and memfd");
        case LiveColumn::huge:
            return LiveSeriesWords::tr("HugetlbPages of /proc/self/status: from the pool, not part of RSS");
        case LiveColumn::hugeBacked:
            return LiveSeriesWords::tr(
                "AnonHugePages + FilePmdMapped + ShmemPmdMapped of smaps, and HugetlbPages");
        case LiveColumn::pageTables:
            return LiveSeriesWords::tr("VmPTE of /proc/self/status");
        case LiveColumn::thpEligible:
            return LiveSeriesWords::tr("THPeligible of smaps: huge pages may be given, not that they were");
        case LiveColumn::anonHuge:
            return LiveSeriesWords::tr("AnonHugePages of smaps: really huge-backed");
        case LiveColumn::pmdMapped:
            return LiveSeriesWords::tr("FilePmdMapped and ShmemPmdMapped of smaps: really huge-backed");
        case LiveColumn::poolFree:
            return LiveSeriesWords::tr("free_hugepages of the 2 MiB pool");
        case LiveColumn::storageRate:
            return LiveSeriesWords::tr("read_bytes of /proc/self/io");
        case LiveColumn::voluntaryRate:
            return LiveSeriesWords::tr("ru_nvcsw of getrusage: waited");
        case LiveColumn::involuntaryRate:
            return LiveSeriesWords::tr("ru_nivcsw of getrusage: its CPU was given to others");
        case LiveColumn::shootdownRate:
            return LiveSeriesWords::tr("line TLB of /proc/interrupts, all CPUs");
        case LiveColumn::refaultRate:
            return LiveSeriesWords::tr(
                "workingset_refault_file of /proc/vmstat: file pages evicted, then "
                "wanted again soon");
        case LiveColumn::memoryPressure:
            return LiveSeriesWords::tr("\"some\" of /proc/pressure/memory: some task waited for memory");
        case LiveColumn::ioPressure:
            return LiveSeriesWords::tr("\"some\" of /proc/pressure/io: some task waited for I/O");
        default:
            return {};
    }
}

QString wrapped(const QString& text) {
    return QStringLiteral("<p>%1</p>").arg(text.toHtmlEscaped());
}

std::optional<QString> whyAbsent(LiveColumn column, const LiveStore& store) {
    bool ended = false;
    bool sampled = false;
    for (const LiveArm& arm : store.arms()) {
        if (!std::isnan(arm.trackOf(column).highest(column)) || !std::isnan(arm.inspectedValue(column))) {
            return std::nullopt;
        }
        ended = ended || (arm.finished && arm.hasPoints());
        // The run's own totals close the track: a row without any sample.
        sampled = sampled || (arm.finished && arm.levels.rows().size() > 1);
    }
    if (!ended) {
        return std::nullopt;
    }
    if (!sampled) {
        return LiveSeriesWords::tr("these runs were measured without samples");
    }
    if (isOfSmaps(column)) {
        return LiveSeriesWords::tr(
            "no run mapped anything that smaps was looked at for: arms that copy have "
            "nothing to tell, and short runs only in their inspection run");
    }
    return LiveSeriesWords::tr("%1; or the version that measured didn't ask for it").arg(obstacle(column));
}

}  // namespace mmapscope
