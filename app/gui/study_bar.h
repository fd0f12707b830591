// The toolbar's second row: what a study fixes before it starts.
#pragma once

#include <QToolBar>
#include <optional>
#include <vector>

#include "core/units.h"
#include "run/run_record.h"

class QCheckBox;
class QComboBox;
class QLineEdit;
class QSpinBox;

namespace mmapscope {

struct StudySettings {
    unsigned threads = 1;
    CacheState cache = CacheState::warm;
    std::optional<unsigned> rounds;  ///< absent: chosen by the study from the length of a run
    unsigned warmups = 1;
    std::optional<Bytes> limit;  ///< absent: the whole file
    Isolation isolation = Isolation::worker;
    std::optional<Bytes> memoryCap;  ///< absent: none
    std::vector<unsigned> pinCpus;   ///< empty: not pinned
    bool why = true;                 ///< takes times apart by further runs
    bool traceFaults = false;        ///< in the inspection runs
};

class StudyBar : public QToolBar {
    Q_OBJECT
  public:
    explicit StudyBar(QWidget* parent = nullptr);

    [[nodiscard]] const StudySettings& settings() const { return settings_; }
    void setRounds(std::optional<unsigned> rounds);
    void setIsolation(Isolation isolation);
    /// Remembered between sessions; the byte limit isn't, it belongs to one file.
    void save() const;
    void restore();

  signals:
    /// settings() changed; threads and limit decide what an arm needs.
    void changed();
    void rejected(const QString& reason);

  private:
    void addField(const QString& label, QWidget* field, const QString& name, const QString& help);
    void addThreads();
    void addCache();
    void addRounds();
    void addLimit();
    void addIsolation();
    void addCap();
    void addPinning();
    void addChecks();

    StudySettings settings_;
    QSpinBox* threads_ = nullptr;
    QComboBox* cache_ = nullptr;
    QSpinBox* rounds_ = nullptr;
    QSpinBox* warmups_ = nullptr;
    QLineEdit* limit_ = nullptr;
    QComboBox* isolation_ = nullptr;
    QLineEdit* cap_ = nullptr;
    QLineEdit* pinning_ = nullptr;
    QCheckBox* why_ = nullptr;
    QCheckBox* trace_ = nullptr;
};

}  // namespace mmapscope
