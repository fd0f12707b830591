#include "app/gui/study_bar.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QSpinBox>
#include <thread>

#include "app/gui/parameter_text.h"
#include "core/accounting.h"
#include "core/cpu_list.h"
#include "core/text.h"

namespace mmapscope {
namespace {

constexpr int kMaxThreads = Accounts::kMaxArmThreads;
constexpr int kMaxRounds = 1000;
constexpr int kMaxWarmups = 100;

}  // namespace

StudyBar::StudyBar(QWidget* parent) : QToolBar(tr("Study settings"), parent) {
    setObjectName(QStringLiteral("studyBar"));
    setMovable(false);
    addCache();
    addThreads();
    addRounds();
    addLimit();
    addIsolation();
    addCap();
    addPinning();
    addChecks();
    restore();
}

void StudyBar::addField(const QString& label, QWidget* field, const QString& name, const QString& help) {
    auto* caption = new QLabel(label);
    caption->setBuddy(field);
    caption->setToolTip(help);
    caption->setContentsMargins(10, 0, 4, 0);
    QString plain = label;
    field->setObjectName(name);
    field->setToolTip(help);
    field->setAccessibleName(plain.remove(QLatin1Char('&')));
    field->setAccessibleDescription(help);
    addWidget(caption);
    addWidget(field);
}

void StudyBar::addCache() {
    cache_ = new QComboBox;
    for (const CacheState state : {CacheState::warm, CacheState::warmSmall, CacheState::cold,
                                   CacheState::resident, CacheState::asis}) {
        cache_->addItem(toQString(name(state)), static_cast<int>(state));
    }
    const QStringList help = {
        tr("Evicted once, then read in order: cached, in folios as large as readahead makes them"),
        tr("Evicted, then filled by 4 KiB reads: cached, in 4 KiB folios"),
        tr("Evicted before every run: the storage is part of what is measured"),
        tr("What is missing is read, the rest is left as it is"),
        tr("Nothing is prepared: runs start from whatever is cached"),
    };
    for (int i = 0; i < help.size(); ++i) {
        cache_->setItemData(i, help[i], Qt::ToolTipRole);
    }
    connect(cache_, &QComboBox::currentIndexChanged, this, [this] {
        settings_.cache = static_cast<CacheState>(cache_->currentData().toInt());
        emit changed();
    });
    addField(tr("Cac&he"), cache_, QStringLiteral("cache"),
             tr("The state of the page cache every run starts from, prepared and verified"));
}

void StudyBar::addThreads() {
    threads_ = new QSpinBox;
    threads_->setRange(1, kMaxThreads);
    connect(threads_, &QSpinBox::valueChanged, this, [this](int value) {
        settings_.threads = static_cast<unsigned>(value);
        emit changed();
    });
    addField(tr("&Threads"), threads_, QStringLiteral("threads"),
             tr("Consumers of each arm: the file is cut into as many parts. This machine has %1 processors")
                 .arg(std::thread::hardware_concurrency()));
}

void StudyBar::addRounds() {
    rounds_ = new QSpinBox;
    rounds_->setRange(0, kMaxRounds);
    rounds_->setSpecialValueText(tr("auto"));
    connect(rounds_, &QSpinBox::valueChanged, this, [this](int value) {
        settings_.rounds = value == 0 ? std::nullopt : std::optional(static_cast<unsigned>(value));
        emit changed();
    });
    addField(
        tr("&Rounds"), rounds_, QStringLiteral("rounds"),
        tr("How often each arm is measured, in shuffled order. auto: 15 when a run takes under a second, "
           "else 7. Below 5 nothing is ranked"));

    warmups_ = new QSpinBox;
    warmups_->setRange(0, kMaxWarmups);
    connect(warmups_, &QSpinBox::valueChanged, this, [this](int value) {
        settings_.warmups = static_cast<unsigned>(value);
        emit changed();
    });
    addField(tr("&Warm-ups"), warmups_, QStringLiteral("warmups"),
             tr("Rounds run first and not counted: first runs pay for what later ones find ready"));
}

void StudyBar::addLimit() {
    limit_ = new QLineEdit;
    limit_->setPlaceholderText(tr("whole file"));
    limit_->setMaximumWidth(limit_->fontMetrics().averageCharWidth() * 14);
    limit_->setAcceptDrops(false);
    connect(limit_, &QLineEdit::editingFinished, this, [this] {
        const std::string text = limit_->text().trimmed().toStdString();
        const auto bytes = parseBytes(text);
        if (!text.empty() && (!bytes || bytes->isZero())) {
            emit rejected(
                bytes ? tr("A limit of 0 bytes leaves nothing to read: leave it empty for the whole file")
                      : tr("Limit: %1").arg(QString::fromStdString(bytes.error().message)));
            limit_->setText(settings_.limit ? QString::fromStdString(formatBytesExact(*settings_.limit))
                                            : QString());
            return;
        }
        const std::optional<Bytes> wanted = text.empty() ? std::nullopt : std::optional(*bytes);
        if (wanted != settings_.limit) {
            settings_.limit = wanted;
            emit changed();
        }
    });
    addField(tr("&Limit"), limit_, QStringLiteral("limit"),
             tr("Only the first part of the file, such as 256MiB, moved to where the workload can stop"));
}

void StudyBar::addIsolation() {
    isolation_ = new QComboBox;
    isolation_->addItem(tr("worker"), static_cast<int>(Isolation::worker));
    isolation_->addItem(tr("in process"), static_cast<int>(Isolation::inProcess));
    connect(isolation_, &QComboBox::currentIndexChanged, this, [this] {
        settings_.isolation = static_cast<Isolation>(isolation_->currentData().toInt());
        emit changed();
    });
    addField(tr("&Isolation"), isolation_, QStringLiteral("isolation"),
             tr("worker: each run in a fresh process, so that counts start clean and a crash costs one run. "
                "in process: inside this program, for looking"));
}

void StudyBar::addCap() {
    cap_ = new QLineEdit;
    cap_->setPlaceholderText(tr("none"));
    cap_->setMaximumWidth(cap_->fontMetrics().averageCharWidth() * 10);
    cap_->setAcceptDrops(false);
    connect(cap_, &QLineEdit::editingFinished, this, [this] {
        const std::string text = cap_->text().trimmed().toStdString();
        const auto bytes = parseBytes(text);
        if (!text.empty() && !bytes) {
            emit rejected(tr("Memory cap: %1").arg(QString::fromStdString(bytes.error().message)));
            cap_->setText(settings_.memoryCap ? QString::fromStdString(formatBytesExact(*settings_.memoryCap))
                                              : QString());
            return;
        }
        settings_.memoryCap = text.empty() ? std::nullopt : std::optional(*bytes);
        emit changed();
    });
    addField(
        tr("Cap"), cap_, QStringLiteral("memoryCap"),
        tr("Most memory each run's worker may use, page cache included, such as 256MiB: a control group of "
           "its own. Needs the isolation worker and the cache state warm or cold"));
}

void StudyBar::addPinning() {
    pinning_ = new QLineEdit;
    pinning_->setPlaceholderText(tr("none"));
    pinning_->setMaximumWidth(pinning_->fontMetrics().averageCharWidth() * 10);
    pinning_->setAcceptDrops(false);
    connect(pinning_, &QLineEdit::editingFinished, this, [this] {
        auto cpus = parseCpuList(pinning_->text().trimmed().toStdString());
        if (!cpus) {
            emit rejected(tr("Pinning: %1").arg(QString::fromStdString(cpus.error().message)));
            pinning_->clear();
            cpus = std::vector<unsigned>{};
        }
        if (*cpus != settings_.pinCpus) {
            settings_.pinCpus = std::move(*cpus);
            emit changed();
        }
    });
    addField(tr("&Pin to"), pinning_, QStringLiteral("pinning"),
             tr("Processors the arm's threads are bound to, such as 0,2 or 0-3; empty: the kernel decides"));
}

void StudyBar::addChecks() {
    const auto add = [this](const QString& text, const char* name, const QString& help, bool& setting) {
        auto* box = new QCheckBox(text);
        box->setObjectName(QLatin1String(name));
        box->setToolTip(help);
        box->setAccessibleDescription(help);
        connect(box, &QCheckBox::toggled, this, [this, &setting](bool on) {
            setting = on;
            emit changed();
        });
        addWidget(box);
        return box;
    };
    why_ = add(tr("Wh&y"), "why",
               tr("Once the rounds are measured, up to 5 further runs an arm find out where its time went: "
                  "Compare shows it"),
               settings_.why);
    trace_ = add(tr("Trace fa&ults"), "traceFaults",
                 tr("Record every page fault of each arm's inspection run for the Fault map. That run gets "
                    "slower, and is never ranked; the measured runs stay as they are"),
                 settings_.traceFaults);
}

void StudyBar::setRounds(std::optional<unsigned> rounds) {
    rounds_->setValue(static_cast<int>(rounds.value_or(0)));
}

void StudyBar::setIsolation(Isolation isolation) {
    isolation_->setCurrentIndex(isolation_->findData(static_cast<int>(isolation)));
}

void StudyBar::save() const {
    QSettings store;
    store.setValue(QStringLiteral("study/cache"), toQString(name(settings_.cache)));
    store.setValue(QStringLiteral("study/threads"), settings_.threads);
    store.setValue(QStringLiteral("study/rounds"), settings_.rounds.value_or(0));
    store.setValue(QStringLiteral("study/warmups"), settings_.warmups);
    store.setValue(QStringLiteral("study/isolation"), toQString(name(settings_.isolation)));
    store.setValue(QStringLiteral("study/why"), settings_.why);
    store.setValue(QStringLiteral("study/traceFaults"), settings_.traceFaults);
}

void StudyBar::restore() {
    const QSettings store;
    const auto number = [&](const char* key, unsigned fallback) {
        return store.value(QLatin1String(key), fallback).toInt();
    };
    const std::string cache = store.value(QStringLiteral("study/cache")).toString().toStdString();
    settings_.cache = cacheStateOf(cache).value_or(CacheState::warm);
    cache_->setCurrentIndex(cache_->findData(static_cast<int>(settings_.cache)));
    threads_->setValue(number("study/threads", 1));
    rounds_->setValue(number("study/rounds", 0));
    warmups_->setValue(number("study/warmups", 1));
    why_->setChecked(store.value(QStringLiteral("study/why"), true).toBool());
    settings_.why = why_->isChecked();
    trace_->setChecked(store.value(QStringLiteral("study/traceFaults"), false).toBool());
    const QString isolation = store.value(QStringLiteral("study/isolation")).toString();
    setIsolation(isolation == toQString(name(Isolation::inProcess)) ? Isolation::inProcess
                                                                    : Isolation::worker);
}

}  // namespace mmapscope
