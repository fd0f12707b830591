#include "widgets/mapping_words.h"

#include <algorithm>

namespace mmapscope {
namespace {

// What each figure means is proc(5) and Documentation/filesystems/proc.rst, in plain words.
constexpr std::array<FactWords, kProcessFacts> kProcessWords{{
    {QT_TRANSLATE_NOOP("mmapscope::MappingWords", "RssAnon"),
     QT_TRANSLATE_NOOP(
         "mmapscope::MappingWords",
         "Memory of the process's own: heap, stacks, buffers. It costs memory that nothing else could "
         "share.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingWords", "RssFile"),
     QT_TRANSLATE_NOOP(
         "mmapscope::MappingWords",
         "Page cache that is mapped into the process right now. The same memory is filled by read, "
         "which only doesn't map it: a large RssFile is not a large cost.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingWords", "RssShmem"),
     QT_TRANSLATE_NOOP("mmapscope::MappingWords", "Mapped memory of tmpfs and memfd files.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingWords", "HugetlbPages"),
     QT_TRANSLATE_NOOP(
         "mmapscope::MappingWords",
         "Memory from the reserved huge-page pool. RSS doesn't contain it, and a memory cap doesn't "
         "count it.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingWords", "Page tables"),
     QT_TRANSLATE_NOOP(
         "mmapscope::MappingWords",
         "VmPTE: memory for the page tables themselves, 8 bytes for each small page that is mapped.")},
}};

constexpr std::array<FactWords, kMappingFacts> kMappingWords{{
    {QT_TRANSLATE_NOOP("mmapscope::MappingWords", "Size"),
     QT_TRANSLATE_NOOP("mmapscope::MappingWords",
                       "Addresses the mapping takes. It costs nothing until they are touched.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingWords", "Rss"),
     QT_TRANSLATE_NOOP("mmapscope::MappingWords",
                       "What of it has memory behind it and is in the page table now.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingWords", "THPeligible"),
     QT_TRANSLATE_NOOP(
         "mmapscope::MappingWords",
         "Whether the kernel would give this mapping transparent huge pages by its settings now. It "
         "says nothing about what is there: a mapping can be eligible and have none, and a file whose "
         "page cache has large folios can be mapped huge although this says no. What is really backed "
         "by huge pages are the three figures below.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingWords", "AnonHugePages"),
     QT_TRANSLATE_NOOP("mmapscope::MappingWords",
                       "Really huge: anonymous memory that is mapped with huge page-table entries now.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingWords", "FilePmdMapped"),
     QT_TRANSLATE_NOOP(
         "mmapscope::MappingWords",
         "Really huge: page cache of a file that is mapped with huge page-table entries now. It needs "
         "folios of that size in the cache, which readahead makes.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingWords", "ShmemPmdMapped"),
     QT_TRANSLATE_NOOP(
         "mmapscope::MappingWords",
         "Really huge: tmpfs or memfd memory that is mapped with huge page-table entries now.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingWords", "Private_Hugetlb"),
     QT_TRANSLATE_NOOP("mmapscope::MappingWords",
                       "Pages of the reserved pool that only this process maps. No part of Rss.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingWords", "Shared_Hugetlb"),
     QT_TRANSLATE_NOOP("mmapscope::MappingWords",
                       "Pages of the reserved pool that may be shared, such as a memfd's. No part of Rss.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingWords", "Locked"),
     QT_TRANSLATE_NOOP("mmapscope::MappingWords",
                       "What mlock or MAP_LOCKED keeps in memory: it can't be evicted.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingWords", "KernelPageSize"),
     QT_TRANSLATE_NOOP(
         "mmapscope::MappingWords",
         "The page size the mapping was made with: huge only for the reserved pool. Transparent huge "
         "pages don't show here.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingWords", "MMUPageSize"),
     QT_TRANSLATE_NOOP(
         "mmapscope::MappingWords",
         "The page size the processor is told of; differs from KernelPageSize only on some POWER "
         "machines.")},
}};

/// Flags that someone asked for, and that change what is measured.
constexpr std::array kAdvice = {"hg", "nh", "rr", "sr", "ht", "lo"};

QString toText(std::string_view words) {
    return QString::fromUtf8(words.data(), qsizetype(words.size()));
}

/// Nearly all is not all, and nearly none not none.
QString shareText(double share) {
    const double percent = 100 * share;
    if (percent > 0 && percent < 0.1) {
        return MappingWords::tr("under 0.1 %");
    }
    if (percent > 99.9 && percent < 100) {
        return MappingWords::tr("over 99.9 %");
    }
    const bool whole = percent == 0 || percent == 100 || (percent >= 10 && percent < 99);
    return MappingWords::tr("%1 %").arg(percent, 0, 'f', whole ? 0 : 1);
}

}  // namespace

const std::array<FactWords, kProcessFacts>& processWords() {
    return kProcessWords;
}

const std::array<FactWords, kMappingFacts>& mappingWords() {
    return kMappingWords;
}

QList<KernelLines::Line> flagLines(std::optional<VmFlags> flags, const QString& why) {
    if (!flags) {
        return {{MappingWords::tr("VmFlags: not available here"), why, true}};
    }
    QStringList codes, others;
    QList<KernelLines::Line> lines;
    for (const VmFlagWords& words : vmFlagWords()) {
        if ((*flags & *vmFlagOf(words.code)) == 0) {
            continue;
        }
        codes << toText(words.code);
        if (std::find(kAdvice.begin(), kAdvice.end(), words.code) != kAdvice.end()) {
            lines << KernelLines::Line{
                MappingWords::tr("%1: %2").arg(toText(words.code), toText(words.meaning)), {}, false, true};
        } else {
            others << MappingWords::tr("%1 %2").arg(toText(words.code), toText(words.meaning));
        }
    }
    if ((*flags & kOtherVmFlag) != 0) {
        others << MappingWords::tr("and a flag this version doesn't know");
    }
    lines.prepend(
        {MappingWords::tr("VmFlags: %1").arg(codes.join(u' ')),
         MappingWords::tr("What the kernel keeps of each mapping. Those that were asked for by advice "
                          "or flags stand out below."),
         false});
    if (!others.isEmpty()) {
        lines << KernelLines::Line{others.join(MappingWords::tr(" · ")), {}, true};
    }
    return lines;
}

QString hugeWords(std::optional<bool> eligible, const std::optional<HugeBacked>& backed) {
    QStringList words;
    if (eligible) {
        words << (*eligible ? MappingWords::tr("eligible: yes") : MappingWords::tr("eligible: no"));
    }
    if (backed) {
        words << MappingWords::tr("really huge-backed: %1 of Rss").arg(shareText(backed->share()));
    }
    return words.join(MappingWords::tr(" · "));
}

QString hugeHelp(const std::optional<HugeBacked>& backed) {
    QString help = MappingWords::tr(
        "Eligible is what the kernel's settings would allow for this mapping; huge-backed is what it has: "
        "AnonHugePages, FilePmdMapped and ShmemPmdMapped over Rss. They differ both ways: a mapping can be "
        "eligible and have none, and page cache in large folios is mapped by huge entries although the "
        "file's "
        "mapping isn't eligible. Pages of the pool count in neither.");
    if (backed && !backed->oneMoment) {
        help +=
            MappingWords::tr("\nEach figure is the largest of the run: it was too short for the sampler.");
    }
    return help;
}

}  // namespace mmapscope
