// Colours, dashes and markers of everything that is drawn, in the light or dark variant of the palette in
// use. Re-derive it (forPalette) on QEvent::PaletteChange: Qt 6.4 has no colour-scheme signal.
#pragma once

#include <qcustomplot.h>

#include <QColor>
#include <QPalette>
#include <QPen>

class QApplication;

namespace mmapscope {

enum class ThemeChoice { system, light, dark };

/// Contrast of two opaque colours, 1 to 21 (WCAG 2.1, "contrast ratio", from relative luminance).
[[nodiscard]] double contrastRatio(const QColor& a, const QColor& b);

class Theme {
  public:
    /// Surfaces and text are the palette's own; the data colours are the set made for its brightness.
    [[nodiscard]] static Theme forPalette(const QPalette& palette);

    [[nodiscard]] bool isDark() const { return dark_; }
    [[nodiscard]] QColor surface() const { return surface_; }  ///< of panels
    [[nodiscard]] QColor plotBackground() const { return plotBackground_; }
    [[nodiscard]] QColor text() const { return text_; }
    [[nodiscard]] QColor mutedText() const { return mutedText_; }  ///< ≥ 4.5:1 on both surfaces
    [[nodiscard]] QColor gridLine() const { return gridLine_; }
    [[nodiscard]] QColor axisLine() const { return axisLine_; }

    /// Hues of the Okabe–Ito set, each ≥ 3:1 against plotBackground(). Colours repeat after kArmColors; dash
    /// and marker then differ, so that an arm is never told by colour alone. Any index ≥ 0.
    static constexpr int kArmColors = 8;
    [[nodiscard]] QColor armColor(int index) const;
    [[nodiscard]] Qt::PenStyle armDash(int index) const;
    [[nodiscard]] QCPScatterStyle::ScatterShape armMarker(int index) const;
    [[nodiscard]] QPen armPen(int index) const;

    [[nodiscard]] QColor minorFault() const;
    [[nodiscard]] QColor majorFault() const;
    [[nodiscard]] QColor warning() const;  ///< as text: ≥ 4.5:1 on both surfaces
    [[nodiscard]] QColor good() const;     ///< as text: ≥ 4.5:1 on both surfaces
    [[nodiscard]] QColor bad() const;      ///< as text: ≥ 4.5:1 on both surfaces

    /// Axes, grid, legend and background of every axis rect. Graphs keep their pens.
    void applyTo(QCustomPlot* plot) const;

  private:
    bool dark_ = false;
    QColor surface_, plotBackground_, text_, mutedText_, gridLine_, axisLine_;
};

/// The calm palette of the window where the desktop has none of its own; what pictures to take away are in.
[[nodiscard]] QPalette applicationPalette(bool dark);

/// Fusion style and a calm palette. `system` keeps the desktop's own palette where the desktop has one, and
/// follows it when it changes.
void applyApplicationTheme(QApplication& application, ThemeChoice choice);

}  // namespace mmapscope
