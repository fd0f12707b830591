#include "app/publish/figure.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QWidget>
#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "report/summary_table.h"
#include "report/tables.h"

namespace mmapscope {
namespace {

constexpr int kMargin = 14;
constexpr int kGap = 8;
constexpr int kTitleLines = 2, kSubtitleLines = 3, kNoteLines = 4;
constexpr double kTextPixels = 13, kTitlePixels = 16, kNotePixels = 11.5;
constexpr int kKeySample = 34, kKeyLine = 28;

struct FigureWords {
    Q_DECLARE_TR_FUNCTIONS(FigureWords)
};

QFont fontOf(double pixels, int dpi, bool bold = false) {
    QFont font(QStringLiteral("DejaVu Sans"));
    font.setStyleHint(QFont::SansSerif);
    font.setPointSizeF(pixels * 72 / dpi);  // in points: what is drawn on any device is as large as measured
    font.setBold(bold);
    font.setHintingPreference(QFont::PreferNoHinting);  // widths are then those of the vectors, too
    return font;
}

QString kindTitle(PlotKind kind) {
    switch (kind) {
        case PlotKind::throughput:
            return FigureWords::tr("Throughput over each arm's last run");
        case PlotKind::faults:
            return FigureWords::tr("Page faults over each arm's last run");
        case PlotKind::memory:
            return FigureWords::tr("Memory over each arm's last run");
        case PlotKind::ratio:
            return FigureWords::tr("Throughput over the baseline's");
        case PlotKind::why:
            return FigureWords::tr("Where the time went");
        case PlotKind::sweep:
            return FigureWords::tr("Throughput against size");
        case PlotKind::faultMap:
            break;
    }
    return FigureWords::tr("Page faults of the inspection runs");
}

QString plain(const std::string& text) {
    return QString::fromStdString(printable(text));
}

/// "read, mmap and 3 more"
QString armNames(const Study& study) {
    constexpr std::size_t kMostNamed = 5;
    QStringList names;
    for (std::size_t i = 0; i < std::min(kMostNamed, study.arms.size()); ++i) {
        names << plain(study.arms[i].id);
    }
    QString text = names.join(QStringLiteral(", "));
    if (study.arms.size() > kMostNamed) {
        text += FigureWords::tr(" and %1 more").arg(study.arms.size() - kMostNamed);
    }
    return text;
}

struct Block {
    QStringList lines;
    QFont font;
    QColor color;
    [[nodiscard]] int height() const { return static_cast<int>(lines.size()) * QFontMetrics(font).height(); }
};

struct Frame {
    std::vector<Block> head, foot;
    int headHeight = 0, footHeight = 0;
};

Frame frameOf(const Figure& figure, const FigureStyle& style, int width) {
    const int inner = width - 2 * kMargin;
    Frame frame;
    frame.head.push_back(
        {wrapped(figure.title, style.title, inner, kTitleLines), style.title, style.theme.text()});
    frame.head.push_back(
        {wrapped(figure.subtitle, style.note, inner, kSubtitleLines), style.note, style.theme.mutedText()});
    for (const QString& note : figure.notes) {
        frame.foot.push_back(
            {wrapped(note, style.note, inner, kNoteLines), style.note, style.theme.mutedText()});
    }
    for (const Block& block : frame.head) {
        frame.headHeight += block.height();
    }
    for (const Block& block : frame.foot) {
        frame.footHeight += block.height();
    }
    return frame;
}

void paintBlocks(QCPPainter& painter, const std::vector<Block>& blocks, int top) {
    for (const Block& block : blocks) {
        painter.setFont(block.font);
        painter.setPen(block.color);
        const QFontMetrics metrics(block.font);
        for (const QString& line : block.lines) {
            painter.drawText(QPoint(kMargin, top + metrics.ascent()), line);
            top += metrics.height();
        }
    }
}

/// Of the height there is, each part's: its least, and of the rest a share up to what it wants, then up to
/// its most.
std::vector<int> shareOut(const std::vector<FigurePart::Heights>& wanted, int height) {
    std::vector<int> given;
    int left = height;
    for (const auto& part : wanted) {
        given.push_back(part.least);
        left -= part.least;
    }
    for (const auto target : {&FigurePart::Heights::natural, &FigurePart::Heights::most}) {
        double room = 0;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            room += std::max(0, wanted[i].*target - given[i]);
        }
        const double share = room > 0 ? std::min(1.0, std::max(0, left) / room) : 0;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const int more = static_cast<int>(share * std::max(0, wanted[i].*target - given[i]));
            given[i] += more;
            left -= more;
        }
    }
    return given;
}

std::vector<FigurePart::Heights> partHeights(const Figure& figure, int width) {
    std::vector<FigurePart::Heights> heights;
    for (const auto& part : figure.parts) {
        heights.push_back(part->heights(width - 2 * kMargin));
    }
    return heights;
}

}  // namespace

FigureStyle::FigureStyle(bool dark)
    : theme(Theme::forPalette(applicationPalette(dark))),
      dpi(QWidget().logicalDpiX()),
      text(fontOf(kTextPixels, dpi)),
      title(fontOf(kTitlePixels, dpi, true)),
      note(fontOf(kNotePixels, dpi)) {}

QStringList wrapped(const QString& text, const QFont& font, int width, int most) {
    const QFontMetrics metrics(font);
    QStringList lines;
    QString line;
    const auto fits = [&](const QString& words) { return metrics.horizontalAdvance(words) <= width; };
    for (QString word : text.split(u' ', Qt::SkipEmptyParts)) {
        const QString longer = line.isEmpty() ? word : line + u' ' + word;
        if (fits(longer)) {
            line = longer;
            continue;
        }
        if (!line.isEmpty()) {
            lines << line;
        }
        while (!fits(word) && word.size() > 1) {
            qsizetype cut = 1;
            while (cut + 1 < word.size() && fits(word.left(cut + 1))) {
                ++cut;
            }
            lines << word.left(cut);
            word.remove(0, cut);
        }
        line = word;
    }
    if (!line.isEmpty()) {
        lines << line;
    }
    if (lines.size() > most) {
        const QString rest = QStringList(lines.mid(most - 1)).join(u' ');
        lines.resize(most);
        lines.last() = metrics.elidedText(rest, Qt::ElideRight, width);
    }
    return lines;
}

void preparePlot(QCustomPlot& plot, const FigureStyle& style) {
    QLocale plainDigits = QLocale::c();
    plainDigits.setNumberOptions(QLocale::OmitGroupSeparator);
    plot.setLocale(plainDigits);
    plot.setFont(style.text);
    plot.setPlottingHints(QCP::phNone);  // hints for a fast screen cut dashed lines into pieces
    plot.setBufferDevicePixelRatio(style.pixelRatio);
}

void resizePlot(QCustomPlot& plot, const QSize& size) {
    plot.resize(size);
    plot.setViewport(QRect(QPoint(0, 0), size));
}

int keyHeight(const std::vector<KeyEntry>& key, const FigureStyle& style, int width) {
    const QFontMetrics metrics(style.text);

    int rows = key.empty() ? 0 : 1;
    int x = 0;
    for (const KeyEntry& entry : key) {
        const int room = kKeySample + metrics.horizontalAdvance(entry.name) + 16;
        if (x > 0 && x + room > width) {
            ++rows;
            x = 0;
        }
        x += room;
    }
    return rows * (metrics.height() + 2);
}

void paintKey(QCPPainter& painter, const std::vector<KeyEntry>& key, const FigureStyle& style, int width) {
    const QFontMetrics metrics(style.text);
    painter.setFont(style.text);
    int x = 0;
    int y = 0;
    for (const KeyEntry& entry : key) {
        const int room = kKeySample + metrics.horizontalAdvance(entry.name) + 16;
        if (x > 0 && x + room > width) {
            x = 0;
            y += metrics.height() + 2;
        }
        const double middle = y + metrics.height() / 2.0;
        painter.setAntialiasing(true);
        if (entry.line) {
            painter.setPen(entry.pen);
            painter.drawLine(QLineF(x, middle, x + kKeyLine, middle));
        }
        if (entry.marker != QCPScatterStyle::ssNone) {
            const QCPScatterStyle marker(entry.marker, entry.pen.color(), QBrush(entry.pen.color()), 7);
            marker.applyTo(&painter, QPen(entry.pen.color(), 1.4));
            marker.drawShape(&painter, x + kKeyLine / 2.0, middle);
        }
        painter.setPen(style.theme.text());
        painter.drawText(QPoint(x + kKeySample, y + metrics.ascent()), entry.name);
        x += room;
    }
}

Figure makeFigure(const std::shared_ptr<const Study>& study, PlotKind kind, const FigureStyle& style) {
    Figure figure;
    const QFileInfo file(plain(study->plan.file));
    figure.heading = kindTitle(kind);
    figure.title = FigureWords::tr("%1: %2 on %3, workload %4")
                       .arg(figure.heading, armNames(*study), file.fileName(),
                            QString::fromStdString(workloadText(*study)));
    figure.subtitle = QString::fromStdString(planText(*study));
    switch (kind) {
        case PlotKind::throughput:
        case PlotKind::faults:
        case PlotKind::memory:
            addLiveParts(figure, *study, kind, style);
            break;
        case PlotKind::ratio:
            addRatioPart(figure, *study, style);
            break;
        case PlotKind::why:
            addWhyPart(figure, *study, style);
            break;
        case PlotKind::sweep:
            addSweepParts(figure, *study, style);
            break;
        case PlotKind::faultMap:
            addFaultParts(figure, study, style);
            break;
    }
    constexpr std::size_t kMostWarnings = 3;
    for (std::size_t i = 0; i < std::min(kMostWarnings, study->warnings.size()); ++i) {
        figure.notes << FigureWords::tr("Warning: %1").arg(plain(study->warnings[i]));
    }
    if (study->warnings.size() > kMostWarnings) {
        figure.notes << FigureWords::tr("%1 more warnings are in the study's report.")
                            .arg(study->warnings.size() - kMostWarnings);
    }
    figure.notes << QString::fromStdString(environmentLine(*study));
    return figure;
}

FigureHeights heightsOf(const Figure& figure, const FigureStyle& style, int width) {
    const Frame frame = frameOf(figure, style, width);
    const int fixed = 2 * kMargin + 2 * kGap + frame.headHeight + frame.footHeight;
    FigureHeights heights{fixed, fixed};
    for (const auto& part : partHeights(figure, width)) {
        heights.least += part.least;
        heights.natural += part.natural;
    }
    return heights;
}

void paintFigure(QCPPainter& painter, const Figure& figure, const FigureStyle& style, const QSize& size) {
    const Frame frame = frameOf(figure, style, size.width());
    painter.fillRect(QRect(QPoint(0, 0), size), style.theme.plotBackground());
    paintBlocks(painter, frame.head, kMargin);
    const int bottom = size.height() - kMargin - frame.footHeight;
    int top = kMargin + frame.headHeight + kGap;
    const auto heights = shareOut(partHeights(figure, size.width()), bottom - kGap - top);
    for (std::size_t i = 0; i < heights.size(); ++i) {
        painter.save();
        painter.translate(kMargin, top);
        figure.parts[i]->paint(painter, QSize(size.width() - 2 * kMargin, heights[i]));
        painter.restore();
        top += heights[i];
    }
    paintBlocks(painter, frame.foot, bottom);
}

}  // namespace mmapscope
