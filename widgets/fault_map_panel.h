// Fault map: every page fault of a traced run as a dot, what they look like in figures and in words.
#pragma once

#include <QWidget>
#include <cstdint>
#include <memory>
#include <optional>

#include "study/study.h"

namespace mmapscope {

class FaultHistogram;
class FaultPlot;

class FaultMapPanel : public QWidget {
    Q_OBJECT

  public:
    explicit FaultMapPanel(QWidget* parent = nullptr);
    ~FaultMapPanel() override;

    /// Keeps the study, copies no trace. To be called again whenever it has grown or was replaced: the arm
    /// and the visible part stay where its run is the same.
    void setStudy(std::shared_ptr<const Study> study);
    void clear() { setStudy(nullptr); }

    /// Has no effect where that arm wasn't traced.
    void chooseArm(std::uint32_t arm);
    [[nodiscard]] std::optional<std::uint32_t> arm() const;

    [[nodiscard]] FaultPlot* plot() const;
    [[nodiscard]] FaultHistogram* strides() const;
    [[nodiscard]] FaultHistogram* mapped() const;
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] QString warnings() const;  ///< "" when the trace is whole
    [[nodiscard]] QString notes() const;
    [[nodiscard]] QString readout() const;

  signals:
    /// The figures beside the plot are those of the run on show; they are counted in the background.
    void figuresShown();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    class Private;
    std::unique_ptr<Private> d_;
};

}  // namespace mmapscope
