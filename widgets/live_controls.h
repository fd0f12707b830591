// The line under Live's plots: what x is, and the slow-motion replay.
#pragma once

#include <QWidget>

#include "widgets/theme.h"

class QComboBox;
class QMenu;
class QRadioButton;
class QSlider;
class QToolButton;

namespace mmapscope {

class LiveControls : public QWidget {
    Q_OBJECT

  public:
    static constexpr int kSliderSteps = 1000;

    explicit LiveControls(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    void setBytesAxis(bool bytes);
    /// Opened by the button "Series".
    void setSeriesMenu(QMenu* menu);
    /// `why`: shown as tool tip and to screen readers while there is nothing to replay.
    void setReplayPossible(bool possible, const QString& why);
    void showReplay(bool playing, bool active, double fraction);
    [[nodiscard]] double slowdown() const;  ///< as startReplay takes it
    void setSlowdown(double slowdown);

  signals:
    void bytesAxisWanted(bool bytes);
    void fitWanted();
    void playPauseWanted();
    void slowdownWanted(double slowdown);
    void seekWanted(double fraction);
    void wholeWanted();

  private:
    void showPlayIcon();

    QRadioButton* time_;
    QRadioButton* bytes_;
    QToolButton* series_;
    QToolButton* play_;
    QComboBox* speed_;
    QSlider* position_;
    QToolButton* whole_;
    Theme theme_;
    bool playing_ = false;
};

}  // namespace mmapscope
