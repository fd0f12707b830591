#include "widgets/thp_section.h"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <array>

#include "widgets/fact_list.h"
#include "widgets/text.h"
#include "widgets/theme.h"

namespace mmapscope {
namespace {

struct SwitchWords {
    const char* name;
    const char* help;
};

constexpr std::array<SwitchWords, 3> kSwitches{{
    {QT_TRANSLATE_NOOP("mmapscope::ThpSection", "enabled"),
     QT_TRANSLATE_NOOP("mmapscope::ThpSection",
                       "Where anonymous memory may get transparent huge pages: always, only after "
                       "MADV_HUGEPAGE (madvise), or never.")},
    {QT_TRANSLATE_NOOP("mmapscope::ThpSection", "defrag"),
     QT_TRANSLATE_NOOP(
         "mmapscope::ThpSection",
         "Whether a fault waits while the kernel frees a huge page (always, madvise), leaves it to the "
         "background (defer) or does without (never).")},
    {QT_TRANSLATE_NOOP("mmapscope::ThpSection", "shmem_enabled"),
     QT_TRANSLATE_NOOP(
         "mmapscope::ThpSection",
         "The same for memfd and internal shared memory; a tmpfs goes by its own huge= mount option.")},
}};

std::optional<QString> wordText(const std::optional<std::string>& word) {
    return word ? std::optional(QString::fromStdString(*word)) : std::nullopt;
}

}  // namespace

/// Size × (anonymous, shared memory), a line a size.
class ThpSizeTable : public QWidget {
  public:
    explicit ThpSizeTable(QWidget* parent) : QWidget(parent), grid_(new QGridLayout(this)) {
        setObjectName(QStringLiteral("thpSizes"));
        grid_->setContentsMargins(0, 0, 0, 0);
        grid_->setHorizontalSpacing(12);
        grid_->setVerticalSpacing(2);
        grid_->setColumnStretch(2, 1);
        cell(0, 0)->setText(ThpSection::tr("folio"));
        cell(0, 1)->setText(ThpSection::tr("anonymous"));
        cell(0, 2)->setText(ThpSection::tr("shared memory"));
    }

    void setSizes(const std::vector<ThpSize>& sizes) {
        if (sizes == sizes_) {
            return;
        }
        sizes_ = sizes;
        const QString help = ThpSection::tr(
            "Whether memory may get folios of this size: always, inherit (as \"enabled\" says), only after "
            "MADV_HUGEPAGE (madvise), or never. A dash: the kernel has no such switch for this size. Page "
            "cache "
            "doesn't go by these: the filesystem and readahead decide there.");
        int row = 0;
        for (const ThpSize& size : sizes) {
            ++row;
            const QString name = bytesText(size.size);
            const QString anonymous = wordText(size.enabled).value_or(QStringLiteral("–"));
            const QString shared = wordText(size.shmemEnabled).value_or(QStringLiteral("–"));
            const QString words[]{name, anonymous, shared};
            for (int column = 0; column < 3; ++column) {
                QLabel* const label = cell(row, column);
                label->setText(words[column]);
                label->setToolTip(help);
                label->setVisible(true);
            }
            cell(row, 0)->setAccessibleName(
                ThpSection::tr("%1: anonymous %2, shared memory %3").arg(name, anonymous, shared));
        }
        for (++row; grid_->itemAtPosition(row, 0) != nullptr; ++row) {
            for (int column = 0; column < 3; ++column) {
                QLabel* const label = cell(row, column);
                label->setAccessibleName({});
                label->setVisible(false);
            }
        }
        restyle();
    }

  protected:
    void changeEvent(QEvent* event) override {
        QWidget::changeEvent(event);
        if (event->type() == QEvent::PaletteChange) {
            restyle();
        }
    }

  private:
    QLabel* cell(int row, int column) {
        if (QLayoutItem* const item = grid_->itemAtPosition(row, column)) {
            return static_cast<QLabel*>(item->widget());
        }
        auto* label = new QLabel(this);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        if (column == 0 && row > 0) {
            label->setFont(tabularFont(font()));
            label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        }
        grid_->addWidget(label, row, column);
        return label;
    }

    /// What is switched on is brighter than what isn't.
    void restyle() {
        const Theme theme = Theme::forPalette(palette());
        const auto off = [](const std::optional<std::string>& word) { return !word || *word == "never"; };
        const auto dye = [&](int row, int column, bool muted) {
            QLabel* const label = cell(row, column);
            QPalette own = label->palette();
            own.setColor(QPalette::WindowText, muted ? theme.mutedText() : theme.text());
            label->setPalette(own);
        };
        for (int column = 0; column < 3; ++column) {
            dye(0, column, true);
        }
        for (int row = 1; row <= static_cast<int>(sizes_.size()); ++row) {
            const ThpSize& size = sizes_[static_cast<std::size_t>(row - 1)];
            dye(row, 0, off(size.enabled) && off(size.shmemEnabled));
            dye(row, 1, off(size.enabled));
            dye(row, 2, off(size.shmemEnabled));
        }
    }

    QGridLayout* grid_;
    std::vector<ThpSize> sizes_;
};

ThpSection::ThpSection(QWidget* parent)
    : KernelSection(tr("Transparent huge pages"), true, parent),
      facts_(new FactList(this)),
      bySize_(new KernelSection(tr("By folio size"), false, this)),
      table_(new ThpSizeTable(this)),
      why_(new KernelLines(QStringLiteral("thpSizesWhy"), this)) {
    for (const SwitchWords& words : kSwitches) {
        facts_->add(tr(words.name), tr(words.help));
    }
    addWidget(facts_);
    bySize_->addWidget(table_);
    bySize_->addWidget(why_);
    addWidget(bySize_);
    bySize_->setObjectName(QStringLiteral("thpBySize"));
}

void ThpSection::setSettings(const ThpSettings& settings) {
    const QString why = tr("this kernel has no transparent huge pages, or hides the setting");
    facts_->set(0, wordText(settings.enabled), why);
    facts_->set(1, wordText(settings.defrag), why);
    facts_->set(2, wordText(settings.shmemEnabled), why);
    table_->setSizes(settings.sizes);
    table_->setVisible(!settings.sizes.empty());
    why_->setLines(settings.sizes.empty()
                       ? QList<KernelLines::Line>{{tr("not available here: this kernel has one size of "
                                                      "transparent huge pages, or hides the others"),
                                                   {},
                                                   true}}
                       : QList<KernelLines::Line>{});
}

}  // namespace mmapscope
