#include "widgets/kernel_panel.h"

#include <QEvent>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "widgets/fact_list.h"
#include "widgets/pool_gauge.h"
#include "widgets/text.h"
#include "widgets/theme.h"

namespace mmapscope {

namespace {

enum MappingFact {
    kAnon,
    kFile,
    kShmem,
    kHugetlb,
    kPageTables,
    kEligible,
    kAnonHuge,
    kFilePmd,
    kShmemPmd,
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
    {QT_TRANSLATE_NOOP("mmapscope::KernelPanel", "RssAnon"),
     QT_TRANSLATE_NOOP(
         "mmapscope::KernelPanel",
         "Memory of the process's own: heap, stacks, buffers. It costs memory that nothing else could "
         "share.")},
    {QT_TRANSLATE_NOOP("mmapscope::KernelPanel", "RssFile"),
     QT_TRANSLATE_NOOP(
         "mmapscope::KernelPanel",
         "Page cache that is mapped into the process right now. The same memory is filled by read, "
         "which only doesn't map it: a large RssFile is not a large cost.")},
    {QT_TRANSLATE_NOOP("mmapscope::KernelPanel", "RssShmem"),
     QT_TRANSLATE_NOOP("mmapscope::KernelPanel", "Mapped memory of tmpfs and memfd files.")},
    {QT_TRANSLATE_NOOP("mmapscope::KernelPanel", "HugetlbPages"),
     QT_TRANSLATE_NOOP(
         "mmapscope::KernelPanel",
         "Memory from the reserved huge-page pool. RSS doesn't contain it, and a memory cap doesn't "
         "count it.")},
    {QT_TRANSLATE_NOOP("mmapscope::KernelPanel", "Page tables"),
     QT_TRANSLATE_NOOP(
         "mmapscope::KernelPanel",
         "VmPTE: memory for the page tables themselves, 8 bytes for each small page that is mapped.")},
    {QT_TRANSLATE_NOOP("mmapscope::KernelPanel", "THPeligible"),
     QT_TRANSLATE_NOOP(
         "mmapscope::KernelPanel",
         "Whether the kernel would give this mapping transparent huge pages by its settings now. It "
         "says nothing about what is there: a mapping can be eligible and have none, and a file whose "
         "page cache has large folios can be mapped huge although this says no. What is really backed "
         "by huge pages are the three figures below.")},
    {QT_TRANSLATE_NOOP("mmapscope::KernelPanel", "AnonHugePages"),
     QT_TRANSLATE_NOOP("mmapscope::KernelPanel",
                       "Really huge: anonymous memory that is mapped with huge page-table entries now.")},
    {QT_TRANSLATE_NOOP("mmapscope::KernelPanel", "FilePmdMapped"),
     QT_TRANSLATE_NOOP(
         "mmapscope::KernelPanel",
         "Really huge: page cache of a file that is mapped with huge page-table entries now. It needs "
         "folios of that size in the cache, which readahead makes.")},
    {QT_TRANSLATE_NOOP("mmapscope::KernelPanel", "ShmemPmdMapped"),
     QT_TRANSLATE_NOOP(
         "mmapscope::KernelPanel",
         "Really huge: tmpfs or memfd memory that is mapped with huge page-table entries now.")},
    {QT_TRANSLATE_NOOP("mmapscope::KernelPanel", "KernelPageSize"),
     QT_TRANSLATE_NOOP(
         "mmapscope::KernelPanel",
         "The page size the mapping was made with: huge only for the reserved pool. Transparent huge "
         "pages don't show here.")},
    {QT_TRANSLATE_NOOP("mmapscope::KernelPanel", "MMUPageSize"),
     QT_TRANSLATE_NOOP(
         "mmapscope::KernelPanel",
         "The page size the processor is told of; differs from KernelPageSize only on some POWER "
         "machines.")},
}};

constexpr std::array<FactWords, 3> kThpWords{{
    {QT_TRANSLATE_NOOP("mmapscope::KernelPanel", "enabled"),
     QT_TRANSLATE_NOOP("mmapscope::KernelPanel",
                       "Where anonymous memory may get transparent huge pages: always, only after "
                       "MADV_HUGEPAGE (madvise), or never.")},
    {QT_TRANSLATE_NOOP("mmapscope::KernelPanel", "defrag"),
     QT_TRANSLATE_NOOP(
         "mmapscope::KernelPanel",
         "Whether a fault waits while the kernel frees a huge page (always, madvise), leaves it to the "
         "background (defer) or does without (never).")},
    {QT_TRANSLATE_NOOP("mmapscope::KernelPanel", "shmem_enabled"),
     QT_TRANSLATE_NOOP(
         "mmapscope::KernelPanel",
         "The same for memfd and internal shared memory; a tmpfs goes by its own huge= mount option.")},
}};

constexpr std::array<FactWords, 5> kPoolWords{{
    {QT_TRANSLATE_NOOP("mmapscope::KernelPanel", "total"),
     QT_TRANSLATE_NOOP("mmapscope::KernelPanel", "Huge pages in the pool, surplus ones too (nr_hugepages).")},
    {QT_TRANSLATE_NOOP("mmapscope::KernelPanel", "free"),
     QT_TRANSLATE_NOOP("mmapscope::KernelPanel", "Not in use; reserved ones are among them.")},
    {QT_TRANSLATE_NOOP("mmapscope::KernelPanel", "reserved"),
     QT_TRANSLATE_NOOP("mmapscope::KernelPanel", "Promised to a mapping that hasn't touched them yet.")},
    {QT_TRANSLATE_NOOP("mmapscope::KernelPanel", "surplus"),
     QT_TRANSLATE_NOOP(
         "mmapscope::KernelPanel",
         "Taken from normal memory beyond the reserved pool, as overcommit allows; given back when "
         "freed.")},
    {QT_TRANSLATE_NOOP("mmapscope::KernelPanel", "available now"),
     QT_TRANSLATE_NOOP(
         "mmapscope::KernelPanel",
         "What a new mapping can really have: free without reserved, and what overcommit still allows.")},
}};

std::optional<QString> amountText(std::uint64_t sampled) {
    return sampled == kNotAvailable ? std::nullopt : std::optional(bytesText(Bytes(sampled)));
}

std::optional<QString> amountText(const std::optional<Bytes>& bytes) {
    return bytes ? std::optional(bytesText(*bytes)) : std::nullopt;
}

std::optional<QString> wordText(const std::optional<std::string>& word) {
    return word ? std::optional(QString::fromStdString(*word)) : std::nullopt;
}

}  // namespace

class KernelPanel::Private {
  public:
    explicit Private(KernelPanel* panel);

    QLabel* heading(const QString& text);
    void enter(const QString& armId);
    void restyle();

    KernelPanel* q_;
    QVBoxLayout* layout_;
    std::vector<QLabel*> headings_;
    FactList* thp_;
    QLabel* poolTitle_;
    PoolGauge* gauge_;
    FactList* pool_;
    QLabel* otherPools_;
    QLabel* mappingTitle_;
    FactList* mapping_;
    QString armId_;
};

KernelPanel::Private::Private(KernelPanel* panel) : q_(panel) {
    auto* content = new QWidget(q_);
    auto* scroll = new QScrollArea(q_);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::StrongFocus);
    scroll->setAccessibleName(tr("Kernel facts"));
    scroll->setWidget(content);
    auto* outer = new QVBoxLayout(q_);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(scroll);
    layout_ = new QVBoxLayout(content);
    layout_->setContentsMargins(8, 6, 8, 6);
    layout_->setSpacing(4);

    heading(tr("Transparent huge pages"));
    thp_ = new FactList(content);
    for (const FactWords& words : kThpWords) {
        thp_->add(tr(words.name), tr(words.help));
    }
    layout_->addWidget(thp_);

    layout_->addSpacing(8);
    poolTitle_ = heading(tr("Huge-page pool"));
    gauge_ = new PoolGauge(content);
    layout_->addWidget(gauge_);
    pool_ = new FactList(content);
    for (const FactWords& words : kPoolWords) {
        pool_->add(tr(words.name), tr(words.help));
    }
    layout_->addWidget(pool_);
    otherPools_ = new QLabel(content);
    otherPools_->setWordWrap(true);
    otherPools_->hide();
    layout_->addWidget(otherPools_);

    layout_->addSpacing(8);
    mappingTitle_ = heading(QString());
    mappingTitle_->setWordWrap(true);
    mapping_ = new FactList(content);
    for (const FactWords& words : kMappingWords) {
        mapping_->add(tr(words.name), tr(words.help));
    }
    layout_->addWidget(mapping_);
    layout_->addStretch(1);
    restyle();
}

QLabel* KernelPanel::Private::heading(const QString& text) {
    auto* label = new QLabel(text, q_);
    QFont bold = q_->font();
    bold.setBold(true);
    label->setFont(bold);
    layout_->addWidget(label);
    headings_.push_back(label);
    return label;
}

void KernelPanel::Private::enter(const QString& armId) {
    if (armId != armId_) {
        armId_ = armId;
        for (std::size_t fact = 0; fact < kMappingFacts; ++fact) {
            mapping_->reset(fact);
        }
    }
}

void KernelPanel::Private::restyle() {
    const Theme theme = Theme::forPalette(q_->palette());
    QPalette muted = otherPools_->palette();
    muted.setColor(QPalette::WindowText, theme.mutedText());
    otherPools_->setPalette(muted);
    gauge_->update();
}

KernelPanel::KernelPanel(QWidget* parent) : QWidget(parent), d_(std::make_unique<Private>(this)) {
    setPools({});
    clearMapping();
}

KernelPanel::~KernelPanel() = default;

void KernelPanel::setThp(const ThpSettings& settings) {
    const QString why = tr("this kernel has no transparent huge pages, or hides the setting");
    d_->thp_->set(0, wordText(settings.enabled), why);
    d_->thp_->set(1, wordText(settings.defrag), why);
    d_->thp_->set(2, wordText(settings.shmemEnabled), why);
}

void KernelPanel::setPools(const std::vector<PoolFacts>& pools) {
    auto main =
        std::find_if(pools.begin(), pools.end(), [](const PoolFacts& one) { return one.size == kHugePage; });
    if (main == pools.end()) {
        main = pools.begin();
    }
    if (main == pools.end()) {
        d_->poolTitle_->setText(tr("Huge-page pool"));
        d_->gauge_->setPool(std::nullopt);
        for (std::size_t fact = 0; fact < kPoolWords.size(); ++fact) {
            d_->pool_->set(fact, std::nullopt, tr("this kernel offers no huge-page pool"));
        }
        d_->otherPools_->hide();
        return;
    }
    d_->poolTitle_->setText(tr("Huge-page pool, %1 pages").arg(bytesText(main->size)));
    d_->gauge_->setPool(*main);
    const std::uint64_t figures[]{main->total, main->free, main->reserved, main->surplus, main->available()};
    for (std::size_t fact = 0; fact < kPoolWords.size(); ++fact) {
        d_->pool_->set(fact, tr("%1 (%2)").arg(countText(static_cast<double>(figures[fact])),
                                               bytesText(main->size * figures[fact])));
    }
    QStringList others;
    for (auto pool = pools.begin(); pool != pools.end(); ++pool) {
        if (pool != main) {
            others << tr("%1 pages: %2 free of %3")
                          .arg(bytesText(pool->size), QString::number(pool->free),
                               QString::number(pool->total));
        }
    }
    d_->otherPools_->setText(others.join(u'\n'));
    d_->otherPools_->setVisible(!others.isEmpty());
}

void KernelPanel::setMapping(const QString& armId, const Sample& latest) {
    d_->enter(armId);
    d_->mappingTitle_->setText(tr("Mapping of %1, now").arg(armId));
    const QString why = tr("this kernel doesn't tell, or it was not looked at in this run");
    const std::pair<MappingFact, std::uint64_t> amounts[]{
        {kAnon, latest.rssAnon},          {kFile, latest.rssFile},           {kShmem, latest.rssShmem},
        {kHugetlb, latest.hugetlb},       {kPageTables, latest.pageTables},  {kAnonHuge, latest.anonHuge},
        {kFilePmd, latest.filePmdMapped}, {kShmemPmd, latest.shmemPmdMapped}};
    for (const auto& [fact, value] : amounts) {
        d_->mapping_->set(fact, amountText(value), why);
    }
    d_->mapping_->set(kEligible,
                      latest.thpEligible == kNotAvailable
                          ? std::nullopt
                          : std::optional(latest.thpEligible != 0 ? tr("1 (yes)") : tr("0 (no)")),
                      why);
}

void KernelPanel::setMappingFacts(const QString& armId, const MappingFacts& facts) {
    d_->enter(armId);
    // Figures of another moment must not stand beside these.
    for (std::size_t fact = 0; fact < kMappingFacts; ++fact) {
        d_->mapping_->reset(fact);
    }
    d_->mappingTitle_->setText(tr("Mapping of %1, largest in its inspection run").arg(armId));
    const QString why = tr("the arm maps nothing, or this kernel doesn't tell");
    const std::pair<MappingFact, std::optional<Bytes>> amounts[]{
        {kKernelPage, facts.kernelPage}, {kMmuPage, facts.mmuPage},         {kAnonHuge, facts.anonHuge},
        {kFilePmd, facts.filePmdMapped}, {kShmemPmd, facts.shmemPmdMapped}, {kHugetlb, facts.hugetlb},
        {kPageTables, facts.pageTables}};
    for (const auto& [fact, value] : amounts) {
        d_->mapping_->set(fact, amountText(value), why);
    }
    d_->mapping_->set(
        kEligible,
        facts.thpEligible ? std::optional(*facts.thpEligible ? tr("1 (yes)") : tr("0 (no)")) : std::nullopt,
        why);
}

void KernelPanel::clearMapping() {
    d_->enter(QString());
    for (std::size_t fact = 0; fact < kMappingFacts; ++fact) {
        d_->mapping_->reset(fact);
    }
    d_->mappingTitle_->setText(tr("Mapping: no run yet"));
}

void KernelPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        d_->restyle();
    }
}

}  // namespace mmapscope
