// Compare: the table of a study's arms with honest statistics, the outcome check, and the ratios as a
// picture.
#pragma once

#include <QByteArray>
#include <QString>
#include <QWidget>
#include <cstdint>
#include <memory>
#include <optional>

#include "study/study.h"

class QCustomPlot;
class QTableView;

namespace mmapscope {

class SummaryModel;
class WhyChart;
enum class WhyStage;

class ComparePanel : public QWidget {
    Q_OBJECT

  public:
    explicit ComparePanel(QWidget* parent = nullptr);
    ~ComparePanel() override;

    /// `study.summary` must be up to date (summarize). Selection, sort order and columns stay as they are.
    void setStudy(const Study& study);
    void clear();
    /// How far the running study is with taking its times apart, 0 to 1.
    void setWhyStage(WhyStage stage, double fraction = 0);

    [[nodiscard]] std::optional<std::uint32_t> selectedArm() const;
    /// Visible columns in their order, rows as sorted, tab-separated with a header line; for the clipboard.
    [[nodiscard]] QString toTsv() const;

    /// Which columns are shown, their order, widths and the sort order; to be remembered between sessions.
    [[nodiscard]] QByteArray columnState() const;
    bool restoreColumnState(const QByteArray& state);

    [[nodiscard]] SummaryModel* model() const;
    [[nodiscard]] QTableView* table() const;
    [[nodiscard]] QCustomPlot* ratioPlot() const;
    [[nodiscard]] WhyChart* whyChart() const;

  signals:
    /// The user wants this arm as baseline: set plan.baseline, summarize, and call setStudy again.
    void baselineChosen(std::uint32_t arm);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    class Private;
    std::unique_ptr<Private> d_;
};

}  // namespace mmapscope
