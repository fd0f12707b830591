// Two drawings of one picture, on light and on dark, as one whose colours follow the page's reader.
#pragma once

#include <QByteArray>
#include <QString>
#include <map>
#include <utility>

namespace mmapscope {

/// The colours of a page: each pair (on light, on dark) gets a CSS variable.
class PageColours {
  public:
    /// "var(--c3,#0072b2)"; the colour itself where both are one.
    [[nodiscard]] QString use(const QString& light, const QString& dark);
    /// "--c0:#ffffff;--c1:…" of one theme.
    [[nodiscard]] QString declarations(bool dark) const;
    /// Numbers the page's pictures, for their ids.
    [[nodiscard]] int nextPicture() { return pictures_++; }

  private:
    int pictures_ = 0;
    std::map<std::pair<QString, QString>, int> names_;
};

/// An <svg> element to stand in a page: no prologue, no size of its own, colours by `colours`, rasters of
/// both themes with the classes "light" and "dark". `label`: what it shows, for a screen reader.
[[nodiscard]] QString pairedSvg(const QByteArray& light, const QByteArray& dark, const QString& label,
                                PageColours& colours);

}  // namespace mmapscope
