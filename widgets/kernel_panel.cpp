#include "widgets/kernel_panel.h"

#include <QEvent>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "widgets/fact_list.h"
#include "widgets/kernel_section.h"
#include "widgets/mapping_section.h"
#include "widgets/mapping_words.h"
#include "widgets/pool_gauge.h"
#include "widgets/residency_history_view.h"
#include "widgets/text.h"
#include "widgets/thp_section.h"

namespace mmapscope {

namespace {

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

QList<KernelLines::Line> tlbLines(const TlbGeometry& tlb) {
    if (!tlb.told()) {
        return {{KernelPanel::tr("not told: %1").arg(QString::fromStdString(tlb.reason)), {}, true}};
    }
    QList<KernelLines::Line> lines;
    for (const TlbArray& array : tlb.arrays) {
        QStringList reach;
        for (const Bytes page : array.pages) {
            reach
                << KernelPanel::tr("%1 with pages of %2").arg(bytesText(array.reach(page)), bytesText(page));
        }
        lines << KernelLines::Line{
            QString::fromStdString(describe(array)),
            KernelPanel::tr("All its entries together reach %1").arg(reach.join(KernelPanel::tr(", or "))),
            false};
    }
    lines << KernelLines::Line{
        KernelPanel::tr("what %1 says").arg(QString::fromStdString(tlb.source)), {}, true};
    if (!tlb.reason.empty()) {
        lines << KernelLines::Line{QString::fromStdString(tlb.reason), {}, true};
    }
    return lines;
}

QList<KernelLines::Line> counterLines(const std::vector<CounterFinding>& counters) {
    QList<KernelLines::Line> lines;
    for (const CounterFinding& one : counters) {
        const QString title = QString::fromStdString(one.title);
        if (one.finding.available) {
            lines << KernelLines::Line{
                one.finding.userOnly ? KernelPanel::tr("%1, user mode only").arg(title) : title,
                one.finding.userOnly ? KernelPanel::tr("What happens inside system calls is not counted: %1")
                                           .arg(QString::fromStdString(one.finding.reason))
                                     : KernelPanel::tr("Counted on the arm's threads by perf_event_open(2)"),
                false};
        } else {
            QString help = QString::fromStdString(one.finding.reason);
            if (!one.finding.unlock.empty()) {
                help += KernelPanel::tr("; to unlock: %1").arg(QString::fromStdString(one.finding.unlock));
            }
            lines << KernelLines::Line{KernelPanel::tr("%1: not available here").arg(title), help, true};
        }
    }
    return lines;
}

}  // namespace

class KernelPanel::Private {
  public:
    explicit Private(KernelPanel* panel);
    void addPools(QWidget* content);
    void showBehaviours();

    KernelPanel* q_;
    QVBoxLayout* layout_;
    ThpSection* thp_;
    KernelSection* poolSection_;
    PoolGauge* gauge_;
    FactList* pool_;
    KernelLines* otherPools_;
    QPushButton* reserve_;
    MappingSection* mapping_;
    ResidencyHistoryView* residency_;
    KernelLines* tlb_;
    KernelLines* counters_;
    KernelLines* behaviours_;
    std::vector<Behaviour> ofFile_;
    Behaviour hugeEntries_ = pageCacheByHugeEntries();
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
    layout_->setContentsMargins(4, 2, 8, 6);
    layout_->setSpacing(2);

    thp_ = new ThpSection(content);
    layout_->addWidget(thp_);
    addPools(content);
    mapping_ = new MappingSection(content);
    layout_->addWidget(mapping_);
    auto* cache = new KernelSection(tr("Page cache around that run"), true, content);
    residency_ = new ResidencyHistoryView(cache);
    cache->addWidget(residency_);
    layout_->addWidget(cache);

    const auto section = [&](const QString& title, const char* name) {
        auto* part = new KernelSection(title, false, content);
        auto* lines = new KernelLines(QLatin1String(name), part);
        part->addWidget(lines);
        layout_->addWidget(part);
        return lines;
    };
    behaviours_ = section(tr("Kernel and filesystem, as observed"), "behaviours");
    tlb_ = section(tr("TLB of this CPU"), "tlb");
    counters_ = section(tr("Counters"), "counters");
    layout_->addStretch(1);
}

void KernelPanel::Private::addPools(QWidget* content) {
    poolSection_ = new KernelSection(QString(), true, content);
    gauge_ = new PoolGauge(content);
    poolSection_->addWidget(gauge_);
    pool_ = new FactList(content);
    for (const FactWords& words : kPoolWords) {
        pool_->add(tr(words.name), tr(words.help));
    }
    poolSection_->addWidget(pool_);
    otherPools_ = new KernelLines(QStringLiteral("otherPools"), content);
    poolSection_->addWidget(otherPools_);
    reserve_ = new QPushButton(tr("&Reserve…"), content);
    reserve_->setToolTip(
        tr("Shows the command that reserves huge pages, and runs it through pkexec if you want it to"));
    poolSection_->addWidget(reserve_);
    layout_->addWidget(poolSection_);
    connect(reserve_, &QPushButton::clicked, q_, &KernelPanel::reserveWanted);
}

KernelPanel::KernelPanel(QWidget* parent) : QWidget(parent), d_(std::make_unique<Private>(this)) {
    setPools({});
    setBehaviours({});
}

KernelPanel::~KernelPanel() = default;

void KernelPanel::setThp(const ThpSettings& settings) {
    d_->thp_->setSettings(settings);
}

void KernelPanel::setPools(const std::vector<PoolFacts>& pools) {
    auto main =
        std::find_if(pools.begin(), pools.end(), [](const PoolFacts& one) { return one.size == kHugePage; });
    if (main == pools.end()) {
        main = pools.begin();
    }
    d_->reserve_->setEnabled(main != pools.end());
    if (main == pools.end()) {
        d_->poolSection_->setTitle(tr("Huge-page pool"));
        d_->gauge_->setPool(std::nullopt);
        for (std::size_t fact = 0; fact < kPoolWords.size(); ++fact) {
            d_->pool_->set(fact, std::nullopt, tr("this kernel offers no huge-page pool"));
        }
        d_->otherPools_->setLines({});
        return;
    }
    d_->poolSection_->setTitle(tr("Huge-page pool, %1 pages").arg(bytesText(main->size)));
    d_->gauge_->setPool(*main);
    const std::uint64_t figures[]{main->total, main->free, main->reserved, main->surplus, main->available()};
    for (std::size_t fact = 0; fact < kPoolWords.size(); ++fact) {
        d_->pool_->set(fact, tr("%1 (%2)").arg(countText(static_cast<double>(figures[fact])),
                                               bytesText(main->size * figures[fact])));
    }
    QList<KernelLines::Line> others;
    for (auto pool = pools.begin(); pool != pools.end(); ++pool) {
        if (pool != main) {
            others << KernelLines::Line{
                tr("%1 pages: %2 free of %3, %4 available")
                    .arg(bytesText(pool->size), QString::number(pool->free), QString::number(pool->total),
                         QString::number(pool->available())),
                tr("reserved %1, surplus %2, overcommit allows %3")
                    .arg(pool->reserved)
                    .arg(pool->surplus)
                    .arg(pool->overcommit),
                true};
        }
    }
    d_->otherPools_->setLines(others);
}

void KernelPanel::setTlb(const TlbGeometry& tlb) {
    d_->tlb_->setLines(tlbLines(tlb));
}

void KernelPanel::setCounters(const std::vector<CounterFinding>& counters) {
    d_->counters_->setLines(counterLines(counters));
}

void KernelPanel::Private::showBehaviours() {
    QList<KernelLines::Line> lines;
    const auto add = [&](const Behaviour& one) {
        lines << KernelLines::Line{QString::fromStdString(one.what + ": " + one.seen),
                                   QString::fromStdString(one.means), !one.looked};
    };
    std::for_each(ofFile_.begin(), ofFile_.end(), add);
    add(hugeEntries_);
    behaviours_->setLines(lines);
}

void KernelPanel::setBehaviours(const std::vector<Behaviour>& behaviours) {
    d_->ofFile_ = behaviours;
    d_->showBehaviours();
}

void KernelPanel::setHugeEntries(const Behaviour& observed) {
    d_->hugeEntries_ = observed;
    d_->showBehaviours();
}

void KernelPanel::setMapping(const QString& armId, const Sample& latest) {
    d_->mapping_->setLive(armId, latest);
}

void KernelPanel::setInspection(const QString& armId, const RunRecord& run) {
    d_->mapping_->setInspection(armId, run);
}

void KernelPanel::setResidency(const std::optional<ResidencyHistory>& history) {
    d_->residency_->setHistory(history);
}

void KernelPanel::clearMapping() {
    d_->mapping_->clear();
    d_->residency_->setHistory(std::nullopt);
}

void KernelPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        d_->gauge_->update();
    }
}

}  // namespace mmapscope
