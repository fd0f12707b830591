// The pages of the sweep wizard.
#pragma once

#include <QWizardPage>
#include <optional>
#include <vector>

#include "app/gui/sample_maker.h"
#include "app/gui/target_facts.h"
#include "core/result.h"
#include "run/memory_cap.h"
#include "run/run_record.h"
#include "widgets/background_job.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;

namespace mmapscope {

class ArmsPanel;

/// A file, or a sample that is made here.
class SweepFilePage : public QWizardPage {
    Q_OBJECT
  public:
    explicit SweepFilePage(QWidget* parent = nullptr);

    void setTarget(const TargetFacts& target);
    /// Looks at the file on another thread.
    void open(const QString& path);
    [[nodiscard]] const std::optional<TargetFacts>& target() const { return target_; }
    [[nodiscard]] bool isComplete() const override { return target_.has_value(); }

  signals:
    void targetChanged();

  private:
    void browse();
    void makeSample();
    void showFree();
    void setMaking(bool making);
    void tell(const QString& error);

    std::optional<TargetFacts> target_;
    QLabel* file_;
    QComboBox* kind_;
    QComboBox* size_;
    QPushButton* make_;
    QProgressBar* progress_;
    QPushButton* cancel_;
    QLabel* free_;
    QLabel* trouble_;
    SampleMaker maker_;
    BackgroundJob openJob_, freeJob_;
};

/// Workload and arms, as in the window.
class SweepArmsPage : public QWizardPage {
    Q_OBJECT
  public:
    explicit SweepArmsPage(QWidget* parent = nullptr);

    [[nodiscard]] ArmsPanel* arms() const { return arms_; }
    [[nodiscard]] bool isComplete() const override;

  private:
    ArmsPanel* arms_;
    QLabel* words_;
};

/// What a run may use, and the sizes.
class SweepMemoryPage : public QWizardPage {
    Q_OBJECT
  public:
    explicit SweepMemoryPage(QWidget* parent = nullptr);

    /// `capPlace`: where caps can be made, or why not with the command that makes it possible.
    void setFile(Bytes fileBytes, const Result<CapPlace>& capPlace, Bytes memory);
    [[nodiscard]] std::optional<Bytes> memoryCap() const;
    /// Error: usage, in words for the line under the fields.
    [[nodiscard]] Result<std::vector<Bytes>> sizes() const;
    [[nodiscard]] bool isComplete() const override { return good_; }

  private:
    void check();
    [[nodiscard]] QString sizesInWords(const std::vector<Bytes>& sizes) const;

    Bytes fileBytes_, memory_;
    std::optional<Bytes> ancestorLimit_;
    bool good_ = false;
    QCheckBox* capped_;
    QLineEdit* cap_;
    QLabel* way_;
    QLineEdit* from_;
    QLineEdit* to_;
    QSpinBox* points_;
    QLabel* words_;
};

/// Cache state, rounds, and what it will cost.
class SweepCostPage : public QWizardPage {
    Q_OBJECT
  public:
    explicit SweepCostPage(QWidget* parent = nullptr);

    /// What the earlier pages chose; `cache`: the states that make sense with it.
    void setWork(std::size_t arms, const std::vector<Bytes>& sizes, bool capped);
    [[nodiscard]] CacheState cache() const;
    [[nodiscard]] unsigned rounds() const;
    [[nodiscard]] unsigned morePoints() const;

  private:
    void tell();

    std::size_t arms_ = 0;
    std::vector<Bytes> sizes_;
    bool capped_ = false;
    QComboBox* cache_;
    QSpinBox* rounds_;
    QSpinBox* more_;
    QLabel* cost_;
};

}  // namespace mmapscope
