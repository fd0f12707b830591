#include "widgets/mapping_section.h"

#include <algorithm>
#include <array>

#include "probe/vm_flags.h"
#include "widgets/fact_list.h"
#include "widgets/text.h"

namespace mmapscope {
namespace {

enum MappingFact {
    kSize,
    kRss,
    kAnon,
    kFile,
    kShmem,
    kHugetlb,
    kPageTables,
    kEligible,
    kAnonHuge,
    kFilePmd,
    kShmemPmd,
    kPrivateHugetlb,
    kSharedHugetlb,
    kLocked,
    kKernelPage,
    kMmuPage,
    kMappingFacts
};

struct FactWords {
    const char* name;
    const char* help;
};

// What each figure means is proc(5) and Documentation/filesystems/proc.rst, in plain words.
constexpr std::array<FactWords, kMappingFacts> kMappingWords{{
    {QT_TRANSLATE_NOOP("mmapscope::MappingSection", "Size"),
     QT_TRANSLATE_NOOP("mmapscope::MappingSection",
                       "Addresses the mapping takes. It costs nothing until they are touched.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingSection", "Rss"),
     QT_TRANSLATE_NOOP("mmapscope::MappingSection",
                       "What of it has memory behind it and is in the page table now.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingSection", "RssAnon"),
     QT_TRANSLATE_NOOP(
         "mmapscope::MappingSection",
         "Memory of the process's own: heap, stacks, buffers. It costs memory that nothing else could "
         "share.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingSection", "RssFile"),
     QT_TRANSLATE_NOOP(
         "mmapscope::MappingSection",
         "Page cache that is mapped into the process right now. The same memory is filled by read, "
         "which only doesn't map it: a large RssFile is not a large cost.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingSection", "RssShmem"),
     QT_TRANSLATE_NOOP("mmapscope::MappingSection", "Mapped memory of tmpfs and memfd files.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingSection", "HugetlbPages"),
     QT_TRANSLATE_NOOP(
         "mmapscope::MappingSection",
         "Memory from the reserved huge-page pool. RSS doesn't contain it, and a memory cap doesn't "
         "count it.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingSection", "Page tables"),
     QT_TRANSLATE_NOOP(
         "mmapscope::MappingSection",
         "VmPTE: memory for the page tables themselves, 8 bytes for each small page that is mapped.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingSection", "THPeligible"),
     QT_TRANSLATE_NOOP(
         "mmapscope::MappingSection",
         "Whether the kernel would give this mapping transparent huge pages by its settings now. It "
         "says nothing about what is there: a mapping can be eligible and have none, and a file whose "
         "page cache has large folios can be mapped huge although this says no. What is really backed "
         "by huge pages are the three figures below.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingSection", "AnonHugePages"),
     QT_TRANSLATE_NOOP("mmapscope::MappingSection",
                       "Really huge: anonymous memory that is mapped with huge page-table entries now.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingSection", "FilePmdMapped"),
     QT_TRANSLATE_NOOP(
         "mmapscope::MappingSection",
         "Really huge: page cache of a file that is mapped with huge page-table entries now. It needs "
         "folios of that size in the cache, which readahead makes.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingSection", "ShmemPmdMapped"),
     QT_TRANSLATE_NOOP(
         "mmapscope::MappingSection",
         "Really huge: tmpfs or memfd memory that is mapped with huge page-table entries now.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingSection", "Private_Hugetlb"),
     QT_TRANSLATE_NOOP("mmapscope::MappingSection",
                       "Pages of the reserved pool that only this process maps. No part of Rss.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingSection", "Shared_Hugetlb"),
     QT_TRANSLATE_NOOP("mmapscope::MappingSection",
                       "Pages of the reserved pool that may be shared, such as a memfd's. No part of Rss.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingSection", "Locked"),
     QT_TRANSLATE_NOOP("mmapscope::MappingSection",
                       "What mlock or MAP_LOCKED keeps in memory: it can't be evicted.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingSection", "KernelPageSize"),
     QT_TRANSLATE_NOOP(
         "mmapscope::MappingSection",
         "The page size the mapping was made with: huge only for the reserved pool. Transparent huge "
         "pages don't show here.")},
    {QT_TRANSLATE_NOOP("mmapscope::MappingSection", "MMUPageSize"),
     QT_TRANSLATE_NOOP(
         "mmapscope::MappingSection",
         "The page size the processor is told of; differs from KernelPageSize only on some POWER "
         "machines.")},
}};

std::optional<Bytes> known(std::uint64_t sampled) {
    return sampled == kNotAvailable ? std::nullopt : std::optional(Bytes(sampled));
}

/// Flags that someone asked for, and that change what is measured.
constexpr std::array kAdvice = {"hg", "nh", "rr", "sr", "ht", "lo"};

QList<KernelLines::Line> flagLines(std::optional<VmFlags> flags, const QString& why) {
    if (!flags) {
        return {{MappingSection::tr("VmFlags: not available here"), why, true}};
    }
    QStringList codes;
    QList<KernelLines::Line> advice;
    QStringList meanings;
    for (const VmFlagWords& words : vmFlagWords()) {
        if ((*flags & *vmFlagOf(words.code)) == 0) {
            continue;
        }
        const QString code = QString::fromUtf8(words.code.data(), qsizetype(words.code.size()));
        const QString line = MappingSection::tr("%1: %2").arg(
            code, QString::fromUtf8(words.meaning.data(), qsizetype(words.meaning.size())));
        codes << code;
        meanings << line;
        if (std::find(kAdvice.begin(), kAdvice.end(), words.code) != kAdvice.end()) {
            advice << KernelLines::Line{line, {}, false};
        }
    }
    if ((*flags & kOtherVmFlag) != 0) {
        meanings << MappingSection::tr("and a flag this version doesn't know");
    }
    advice.prepend({MappingSection::tr("VmFlags: %1").arg(codes.join(u' ')), meanings.join(u'\n'), false});
    return advice;
}

}  // namespace

struct MappingSection::Figures {
    std::optional<Bytes> size, rss, anon, file, shmem, hugetlb, pageTables;
    std::optional<bool> eligible;
    std::optional<Bytes> anonHuge, filePmd, shmemPmd, privateHugetlb, sharedHugetlb, locked;
    std::optional<Bytes> kernelPage, mmuPage;
    std::optional<VmFlags> flags;

    /// Of the mapping's Rss; pool pages are no part of that.
    [[nodiscard]] std::optional<Bytes> huge() const {
        if (!anonHuge && !filePmd && !shmemPmd) {
            return std::nullopt;
        }
        return anonHuge.value_or(Bytes(0)) + filePmd.value_or(Bytes(0)) + shmemPmd.value_or(Bytes(0));
    }
};

QString hugeWords(std::optional<bool> eligible, std::optional<Bytes> huge, std::optional<Bytes> rss) {
    if (!huge || !rss || rss->isZero()) {
        return {};
    }
    const double share = 100.0 * static_cast<double>(huge->count()) / static_cast<double>(rss->count());
    const QString really =
        MappingSection::tr("really huge-backed: %1 % of Rss").arg(share, 0, 'f', share < 10 ? 1 : 0);
    if (!eligible) {
        return really;
    }
    return MappingSection::tr("eligible: %1 · %2")
        .arg(*eligible ? MappingSection::tr("yes") : MappingSection::tr("no"), really);
}

MappingSection::MappingSection(QWidget* parent)
    : KernelSection(QString(), true, parent),
      facts_(new FactList(this)),
      moment_(new KernelLines(QStringLiteral("moment"), this)),
      huge_(new KernelLines(QStringLiteral("hugeBacked"), this)),
      flags_(new KernelLines(QStringLiteral("vmFlags"), this)) {
    for (const FactWords& words : kMappingWords) {
        facts_->add(tr(words.name), tr(words.help));
    }
    addWidget(moment_);
    addWidget(huge_);
    addWidget(facts_);
    addWidget(flags_);
    clear();
}

void MappingSection::enter(const QString& armId) {
    if (armId != armId_) {
        armId_ = armId;
        for (std::size_t fact = 0; fact < kMappingFacts; ++fact) {
            facts_->reset(fact);
        }
        moment_->setLines({});
        huge_->setLines({});
        flags_->setLines({});
    }
}

void MappingSection::show(const Figures& f, const QString& why) {
    const std::pair<MappingFact, std::optional<Bytes>> amounts[]{{kSize, f.size},
                                                                 {kRss, f.rss},
                                                                 {kAnon, f.anon},
                                                                 {kFile, f.file},
                                                                 {kShmem, f.shmem},
                                                                 {kHugetlb, f.hugetlb},
                                                                 {kPageTables, f.pageTables},
                                                                 {kAnonHuge, f.anonHuge},
                                                                 {kFilePmd, f.filePmd},
                                                                 {kShmemPmd, f.shmemPmd},
                                                                 {kPrivateHugetlb, f.privateHugetlb},
                                                                 {kSharedHugetlb, f.sharedHugetlb},
                                                                 {kLocked, f.locked},
                                                                 {kKernelPage, f.kernelPage},
                                                                 {kMmuPage, f.mmuPage}};
    for (const auto& [fact, value] : amounts) {
        facts_->set(fact, value ? std::optional(bytesText(*value)) : std::nullopt, why);
    }
    facts_->set(kEligible,
                f.eligible ? std::optional(*f.eligible ? tr("1 (yes)") : tr("0 (no)")) : std::nullopt, why);
    const QString words = hugeWords(f.eligible, f.huge(), f.rss);
    huge_->setLines(
        words.isEmpty()
            ? QList<KernelLines::Line>{}
            : QList<KernelLines::Line>{
                  {words,
                   tr("Eligible is what the kernel's settings would allow for this mapping; huge-backed is "
                      "what it has: AnonHugePages, FilePmdMapped and ShmemPmdMapped over Rss. They differ "
                      "both ways: a mapping can be eligible and have none, and page cache in large folios "
                      "is mapped by huge entries although the file's mapping isn't eligible."),
                   false}});
    flags_->setLines(flagLines(f.flags, why));
}

void MappingSection::setLive(const QString& armId, const Sample& s) {
    enter(armId);
    setTitle(tr("Mapping of %1").arg(armId));
    moment_->setLines({{tr("now"), {}, true}});
    Figures f;
    f.size = known(s.mappedSize);
    f.rss = known(s.mappedRss);
    f.anon = known(s.rssAnon);
    f.file = known(s.rssFile);
    f.shmem = known(s.rssShmem);
    f.hugetlb = known(s.hugetlb);
    f.pageTables = known(s.pageTables);
    f.eligible = s.thpEligible == kNotAvailable ? std::nullopt : std::optional(s.thpEligible != 0);
    f.anonHuge = known(s.anonHuge);
    f.filePmd = known(s.filePmdMapped);
    f.shmemPmd = known(s.shmemPmdMapped);
    f.privateHugetlb = known(s.privateHugetlb);
    f.sharedHugetlb = known(s.sharedHugetlb);
    f.locked = known(s.locked);
    f.kernelPage = known(s.kernelPage);
    f.mmuPage = known(s.mmuPage);
    f.flags = s.vmFlags == kNotAvailable ? std::nullopt : std::optional(s.vmFlags);
    show(f, tr("this kernel doesn't tell, or it was not looked at: smaps is read in inspection and warm-up "
               "runs only, as it would slow measured ones"));
}

void MappingSection::setFacts(const QString& armId, const MappingFacts& facts) {
    enter(armId);
    // Figures of another moment must not stand beside these.
    for (std::size_t fact = 0; fact < kMappingFacts; ++fact) {
        facts_->reset(fact);
    }
    setTitle(tr("Mapping of %1").arg(armId));
    moment_->setLines({{tr("largest in its inspection run"), {}, true}});
    Figures f;
    f.size = facts.size;
    f.rss = facts.rss;
    f.hugetlb = facts.hugetlb;
    f.pageTables = facts.pageTables;
    f.eligible = facts.thpEligible;
    f.anonHuge = facts.anonHuge;
    f.filePmd = facts.filePmdMapped;
    f.shmemPmd = facts.shmemPmdMapped;
    f.privateHugetlb = facts.privateHugetlb;
    f.sharedHugetlb = facts.sharedHugetlb;
    f.locked = facts.locked;
    f.kernelPage = facts.kernelPage;
    f.mmuPage = facts.mmuPage;
    f.flags = facts.vmFlags;
    show(f, tr("the arm maps nothing, or this kernel doesn't tell"));
    for (const MappingFact fact : {kAnon, kFile, kShmem}) {
        facts_->reset(fact);  // of the process, not of the mapping: not kept per inspection
    }
}

void MappingSection::clear() {
    enter(QString());
    for (std::size_t fact = 0; fact < kMappingFacts; ++fact) {
        facts_->reset(fact);
    }
    setTitle(tr("Mapping: no run yet"));
}

}  // namespace mmapscope
