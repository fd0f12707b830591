#include "widgets/mapping_section.h"

#include <algorithm>

#include "widgets/fact_list.h"
#include "widgets/mapping_words.h"
#include "widgets/text.h"

namespace mmapscope {
namespace {

std::optional<Bytes> known(std::uint64_t sampled) {
    return sampled == kNotAvailable ? std::nullopt : std::optional(Bytes(sampled));
}

/// Whether the sampler has read smaps in this run.
bool hasMapping(const Sample& s) {
    const std::uint64_t figures[]{s.mappedSize, s.mappedRss, s.thpEligible, s.vmFlags};
    return std::any_of(std::begin(figures), std::end(figures),
                       [](std::uint64_t one) { return one != kNotAvailable; });
}

std::uint64_t larger(std::uint64_t a, std::uint64_t b) {
    return a == kNotAvailable ? b : b == kNotAvailable ? a : std::max(a, b);
}

/// Largest of what the sampler saw of the process.
Sample largestOf(const RunRecord& run) {
    Sample largest;
    for (const Sample& one : run.sampling.samples) {
        largest.rssAnon = larger(largest.rssAnon, one.rssAnon);
        largest.rssFile = larger(largest.rssFile, one.rssFile);
        largest.rssShmem = larger(largest.rssShmem, one.rssShmem);
        largest.hugetlb = larger(largest.hugetlb, one.hugetlb);
        largest.pageTables = larger(largest.pageTables, one.pageTables);
    }
    if (run.mapping && run.mapping->pageTables) {
        largest.pageTables = larger(largest.pageTables, run.mapping->pageTables->count());
    }
    return largest;
}

void setBytes(FactList* list, std::size_t fact, std::optional<Bytes> value, const QString& why) {
    list->set(fact, value ? std::optional(bytesText(*value)) : std::nullopt, why);
}

void resetAll(FactList* list, std::size_t facts) {
    for (std::size_t fact = 0; fact < facts; ++fact) {
        list->reset(fact);
    }
}

}  // namespace

struct MappingSection::Figures {
    std::optional<bool> eligible;
    std::optional<HugeBacked> backed;
    std::optional<Bytes> size, rss, anonHuge, filePmd, shmemPmd, privateHugetlb, sharedHugetlb, locked;
    std::optional<Bytes> kernelPage, mmuPage;
    std::optional<VmFlags> flags;
};

MappingSection::MappingSection(QWidget* parent)
    : KernelSection(QString(), true, parent),
      processMoment_(new KernelLines(QStringLiteral("processMoment"), this)),
      process_(new FactList(this)),
      moment_(new KernelLines(QStringLiteral("moment"), this)),
      huge_(new KernelLines(QStringLiteral("hugeBacked"), this)),
      facts_(new FactList(this)),
      flags_(new KernelLines(QStringLiteral("vmFlags"), this)) {
    for (const FactWords& words : processWords()) {
        process_->add(MappingWords::tr(words.name), MappingWords::tr(words.help));
    }
    for (const FactWords& words : mappingWords()) {
        facts_->add(MappingWords::tr(words.name), MappingWords::tr(words.help));
    }
    for (QWidget* part :
         std::initializer_list<QWidget*>{moment_, huge_, facts_, flags_, processMoment_, process_}) {
        addWidget(part);
    }
    clear();
}

void MappingSection::name(const QString& armId) {
    setTitle(tr("Mapping of %1").arg(armId));
}

void MappingSection::showProcess(const Sample& s, const QString& moment, const QString& why) {
    processMoment_->setLines({{moment, {}, true}});
    setBytes(process_, kRssAnon, known(s.rssAnon), why);
    setBytes(process_, kRssFile, known(s.rssFile), why);
    setBytes(process_, kRssShmem, known(s.rssShmem), why);
    setBytes(process_, kHugetlbPages, known(s.hugetlb), why);
    setBytes(process_, kPageTables, known(s.pageTables), why);
}

void MappingSection::showMapping(const Figures& f, const QString& moment, const QString& why) {
    moment_->setLines({{moment, {}, true}});
    setBytes(facts_, kSize, f.size, why);
    setBytes(facts_, kRss, f.rss, why);
    facts_->set(kEligible,
                f.eligible ? std::optional(*f.eligible ? tr("1 (yes)") : tr("0 (no)")) : std::nullopt, why);
    setBytes(facts_, kAnonHuge, f.anonHuge, why);
    setBytes(facts_, kFilePmd, f.filePmd, why);
    setBytes(facts_, kShmemPmd, f.shmemPmd, why);
    setBytes(facts_, kPrivateHugetlb, f.privateHugetlb, why);
    setBytes(facts_, kSharedHugetlb, f.sharedHugetlb, why);
    setBytes(facts_, kLocked, f.locked, why);
    setBytes(facts_, kKernelPage, f.kernelPage, why);
    setBytes(facts_, kMmuPage, f.mmuPage, why);
    QList<KernelLines::Line> difference;
    if (const QString words = hugeWords(f.eligible, f.backed); !words.isEmpty()) {
        difference << KernelLines::Line{words, hugeHelp(f.backed), false, true};
        if (f.eligible == false && f.backed && !f.backed->huge.isZero()) {
            difference << KernelLines::Line{
                tr("Not eligible only means that the kernel makes no huge pages for it: page cache that lies "
                   "in large folios is mapped by huge entries all the same."),
                hugeHelp(f.backed), true};
        } else if (f.eligible == true && f.backed && f.backed->huge.isZero()) {
            difference << KernelLines::Line{
                tr("Eligible only means that the kernel may give huge pages: here it gave none."),
                hugeHelp(f.backed), true};
        }
    }
    if (const Bytes pool = f.privateHugetlb.value_or(Bytes(0)) + f.sharedHugetlb.value_or(Bytes(0));
        !pool.isZero()) {
        difference << KernelLines::Line{
            tr("From the pool: %1, huge in any case and no part of Rss").arg(bytesText(pool)), {}, false};
    }
    huge_->setLines(difference);
    flags_->setLines(flagLines(f.flags, why));
}

void MappingSection::showInspected(const Inspected& inspected) {
    const MappingFacts& facts = inspected.facts;
    showMapping({facts.thpEligible, inspected.backed, facts.size, facts.rss, facts.anonHuge,
                 facts.filePmdMapped, facts.shmemPmdMapped, facts.privateHugetlb, facts.sharedHugetlb,
                 facts.locked, facts.kernelPage, facts.mmuPage, facts.vmFlags},
                tr("largest in its inspection run"), tr("the smaps of this kernel doesn't tell"));
}

void MappingSection::showNoMapping(const QString& why) {
    moment_->setLines({{why, {}, true}});
    resetAll(facts_, kMappingFacts);
    huge_->setLines({});
    flags_->setLines({});
}

void MappingSection::setLive(const QString& armId, const Sample& s) {
    name(armId);
    showProcess(s, tr("the process, now"), tr("/proc/self/status of this kernel doesn't tell"));
    if (hasMapping(s)) {
        showMapping({s.thpEligible == kNotAvailable ? std::nullopt : std::optional(s.thpEligible != 0),
                     hugeBackedIn(s), known(s.mappedSize), known(s.mappedRss), known(s.anonHuge),
                     known(s.filePmdMapped), known(s.shmemPmdMapped), known(s.privateHugetlb),
                     known(s.sharedHugetlb), known(s.locked), known(s.kernelPage), known(s.mmuPage),
                     s.vmFlags == kNotAvailable ? std::nullopt : std::optional(s.vmFlags)},
                    tr("now"), tr("the smaps of this kernel doesn't tell"));
    } else if (const auto before = inspected_.constFind(armId); before != inspected_.cend()) {
        showInspected(*before);
    } else {
        showNoMapping(
            tr("smaps not read: the arm maps nothing, or has only started, or is being measured, which "
               "reading it would slow"));
    }
}

void MappingSection::setInspection(const QString& armId, const RunRecord& run) {
    name(armId);
    showProcess(largestOf(run), tr("the process, largest in its inspection run"),
                tr("the run was not sampled, or this kernel doesn't tell"));
    if (run.mapping) {
        const Inspected inspected{*run.mapping, hugeBackedIn(run)};
        inspected_.insert(armId, inspected);
        showInspected(inspected);
    } else {
        showNoMapping(tr("the arm maps nothing, or smaps can't be read here"));
    }
}

void MappingSection::clear() {
    inspected_.clear();
    setTitle(tr("Mapping: no run yet"));
    processMoment_->setLines({});
    resetAll(process_, kProcessFacts);
    showNoMapping(tr("as smaps shows it, once an arm runs"));
}

}  // namespace mmapscope
