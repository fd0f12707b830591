// The arms a person chooses from: every source of the registry as a row with a check mark, its parameters in
// place, and, once the file is known, whether it can run here.
#pragma once

#include <QAbstractItemModel>
#include <memory>
#include <vector>

#include "core/parameters.h"
#include "source/source.h"
#include "study/preselection.h"
#include "study/study_runner.h"

namespace mmapscope {

/// What has to be asked of a source off the window's thread; the answers come back in the same order.
struct ArmQuery {
    const SourceType* source = nullptr;
    Parameters parameters;
};

class ArmsModel : public QAbstractItemModel {
    Q_OBJECT
  public:
    enum Column { kArm, kValue, kHow, kColumns };
    enum Role {
        kSpec = Qt::UserRole,  ///< const ParameterSpec* of an editable cell, as void*
        kAvailable,            ///< bool
        kReason,               ///< why it can't run here; empty when it can
        kUnlock                ///< the command that would change that; may be empty
    };

    explicit ArmsModel(const std::vector<const SourceType*>& sources, QObject* parent = nullptr);
    ~ArmsModel() override;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& index) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

    /// The source's row once more, right below, ticked, to be given other parameters. Returns its index.
    QModelIndex addAgain(const QModelIndex& arm);
    /// Only what addAgain made; each source keeps one row.
    [[nodiscard]] bool removable(const QModelIndex& arm) const;
    void remove(const QModelIndex& arm);

    /// Ticks exactly these. Rows a person added are removed.
    void preselect(const std::vector<ArmChoice>& arms);
    /// Ticks exactly these arms, with their parameters, as a person's choice.
    void choose(const std::vector<ArmRequest>& arms);
    /// Whether a person changed ticks, rows or parameters since preselect.
    [[nodiscard]] bool touched() const { return touched_; }

    [[nodiscard]] std::vector<ArmQuery> queries() const;
    /// Answers to queries(), in that order; ignored when the rows changed meanwhile.
    void setAvailability(const std::vector<Availability>& answers);

    /// Ticked and able to run, in table order.
    [[nodiscard]] std::vector<ArmRequest> chosen(unsigned threads) const;

  signals:
    /// A value that can't be taken, in words. The old one stays.
    void rejected(const QString& reason);
    /// Rows or parameters changed: availability has to be asked again.
    void queriesChanged();
    /// What chosen() returns may be different now.
    void choiceChanged();

  private:
    struct Row;
    [[nodiscard]] Row* rowOf(const QModelIndex& index) const;
    [[nodiscard]] const ParameterSpec* specOf(const QModelIndex& index) const;
    [[nodiscard]] QVariant armData(const Row& row, int column, int role) const;
    [[nodiscard]] QVariant parameterData(const Row& row, const ParameterSpec& spec, int column,
                                         int role) const;
    bool setParameter(Row& row, const ParameterSpec& spec, const QString& text);
    void removeRowAt(int row);

    std::vector<std::unique_ptr<Row>> rows_;
    bool touched_ = false;
};

}  // namespace mmapscope
