#include <QApplication>
#include <QProxyStyle>
#include <QStyle>
#include <QStyleFactory>
#include <QStyleOption>

#include "widgets/theme.h"

namespace mmapscope {

namespace {

struct Surfaces {
    QRgb window, base, alternate, text, button, border, muted, highlight, highlightedText, link, toolTip;
};

constexpr Surfaces kLight{0xfff3f4f6, 0xffffffff, 0xfff7f8fa, 0xff1d2125, 0xffe9ebee, 0xffb9bec5,
                          0xff8a9098, 0xff1b6ca8, 0xffffffff, 0xff0a5c97, 0xfffffdf2};
constexpr Surfaces kDark{0xff1d2126, 0xff14171b, 0xff191d22, 0xffe3e6e9, 0xff2a2f36, 0xff3d444d,
                         0xff767e88, 0xff2f7fbf, 0xffffffff, 0xff6db8ec, 0xff2a2f36};

/// Fusion frames check boxes and radio buttons by a darkened window colour, which on a dark window is next to
/// invisible: here they are framed by muted text.
class InstrumentStyle : public QProxyStyle {
  public:
    InstrumentStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override {
        const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
        if ((element == PE_IndicatorCheckBox || element == PE_IndicatorRadioButton) && button != nullptr) {
            QStyleOptionButton framed(*button);
            framed.palette.setColor(QPalette::Window,
                                    Theme::forPalette(option->palette).mutedText().lighter(120));
            QProxyStyle::drawPrimitive(element, &framed, painter, widget);
            return;
        }
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
};

QPalette paletteOf(const Surfaces& s, bool dark) {
    QPalette palette;
    palette.setColor(QPalette::Window, s.window);
    palette.setColor(QPalette::WindowText, s.text);
    palette.setColor(QPalette::Base, s.base);
    palette.setColor(QPalette::AlternateBase, s.alternate);
    palette.setColor(QPalette::Text, s.text);
    palette.setColor(QPalette::PlaceholderText, s.muted);
    palette.setColor(QPalette::Button, s.button);
    palette.setColor(QPalette::ButtonText, s.text);
    palette.setColor(QPalette::BrightText, Qt::white);
    palette.setColor(QPalette::ToolTipBase, s.toolTip);
    palette.setColor(QPalette::ToolTipText, s.text);
    palette.setColor(QPalette::Highlight, s.highlight);
    palette.setColor(QPalette::HighlightedText, s.highlightedText);
    palette.setColor(QPalette::Link, s.link);
    palette.setColor(QPalette::LinkVisited, s.link);
    // Fusion derives every frame and groove from these.
    palette.setColor(QPalette::Light, dark ? QColor(s.button).lighter(130) : QColor(Qt::white));
    palette.setColor(QPalette::Midlight, dark ? QColor(s.button).lighter(115) : QColor(s.alternate));
    palette.setColor(QPalette::Mid, s.border);
    palette.setColor(QPalette::Dark, dark ? QColor(s.base).darker(130) : QColor(s.border).darker(115));
    palette.setColor(QPalette::Shadow, dark ? QColor(Qt::black) : QColor(s.border).darker(140));
    for (const auto role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText}) {
        palette.setColor(QPalette::Disabled, role, s.muted);
    }
    palette.setColor(QPalette::Disabled, QPalette::Highlight, s.border);
    return palette;
}

}  // namespace

QPalette applicationPalette(bool dark) {
    return paletteOf(dark ? kDark : kLight, dark);
}

void applyApplicationTheme(QApplication&, ThemeChoice choice) {
    if (dynamic_cast<InstrumentStyle*>(QApplication::style()) == nullptr) {
        QApplication::setStyle(new InstrumentStyle);
    }
    if (choice == ThemeChoice::system) {
        QApplication::setPalette(QPalette());  // back to the desktop's, or the style's where it has none
        const QPalette desktop = QApplication::palette();
        const QPalette style = QApplication::style()->standardPalette();
        if (desktop.color(QPalette::Window) != style.color(QPalette::Window) ||
            desktop.color(QPalette::Base) != style.color(QPalette::Base)) {
            return;
        }
        choice = ThemeChoice::light;
    }
    QApplication::setPalette(applicationPalette(choice == ThemeChoice::dark));
}

}  // namespace mmapscope
