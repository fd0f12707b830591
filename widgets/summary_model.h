// The rows of Compare: one an arm, with figures that sort by their true values.
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

#include "study/study.h"
#include "widgets/theme.h"

namespace mmapscope {

class SummaryModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column {
        kArm,
        kVerdict,
        kThroughput,
        kRatio,
        kWall,
        kSetup,
        kCpu,
        kUser,
        kSystem,
        kMinorFaults,
        kMajorFaults,
        kPrivate,
        kHugePages,
        kMappedCache,
        kStorageRead,
        kSwitches,
        kColumnCount
    };
    /// Qt::UserRole: the figure itself (double), invalid when absent: what a sort compares.
    static constexpr int kValueRole = Qt::UserRole;
    static constexpr int kArmRole = Qt::UserRole + 1;  ///< index into study.arms

    static constexpr int kReasonRole = Qt::UserRole + 2;  ///< why the arm has no rank; empty when it has one

    explicit SummaryModel(QObject* parent = nullptr);

    /// Medians over the arm's good measured runs; peaks are the largest seen, from the inspection run where
    /// the measured ones don't read them. Rows follow study.arms.
    void setStudy(const Study& study);
    void setTheme(const Theme& theme);
    void clear();

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    struct Row {
        std::uint32_t arm = 0;
        QString id;
        std::optional<double> values[kColumnCount];
        QString texts[kColumnCount];
        QString note;       ///< why it has no rank
        QString splitNote;  ///< why user or system time is absent although it ran
        bool outcomesAgree = true;
        Verdict verdict = Verdict::unranked;
    };
    [[nodiscard]] static Row rowOf(const Study& study, std::uint32_t arm);
    [[nodiscard]] QString toolTip(const Row& row, int column) const;

    std::vector<Row> rows_;
    bool decoded_ = false;  ///< throughput is of what comes out
    Theme theme_;
};

}  // namespace mmapscope
