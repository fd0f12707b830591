#include "app/publish/html.h"

#include <QFileInfo>
#include <array>

#include "app/publish/render.h"
#include "app/publish/svg_pair.h"
#include "core/text.h"
#include "report/fault_lines.h"
#include "report/remarks.h"
#include "report/summary_table.h"
#include "report/sweep_report.h"
#include "report/why_table.h"

namespace mmapscope {
namespace {

constexpr int kPlotWidth = 960;

/// Any string of a study, as text of the page.
QString text(const std::string& outside) {
    return QString::fromStdString(printable(outside)).toHtmlEscaped();
}

QString table(const SummaryTable& table, const char* caption) {
    QString out = QStringLiteral("<div class=\"wide\"><table>\n<caption>%1</caption>\n<thead><tr>")
                      .arg(QString::fromUtf8(caption));
    for (const TableColumn& column : table.columns) {
        out +=
            QStringLiteral("<th scope=\"col\"%1>%2%3</th>")
                .arg(column.right ? QString() : QStringLiteral(" class=\"l\""), text(column.title),
                     column.unit.empty() ? QString()
                                         : QStringLiteral("<br/><small>%1</small>").arg(text(column.unit)));
    }
    out += QStringLiteral("</tr></thead>\n<tbody>\n");
    for (const auto& row : table.rows) {
        out += QStringLiteral("<tr>");
        for (std::size_t i = 0; i < row.size(); ++i) {
            const QString cell = text(row[i]);
            const bool verdict = table.columns[i].title == "verdict";
            const QString classes = verdict                  ? QStringLiteral(" class=\"l v-%1\"").arg(cell)
                                    : table.columns[i].right ? QString()
                                                             : QStringLiteral(" class=\"l\"");
            out += i == 0 ? QStringLiteral("<th scope=\"row\"%1>%2</th>").arg(classes, cell)
                          : QStringLiteral("<td%1>%2</td>").arg(classes, cell);
        }
        out += QStringLiteral("</tr>\n");
    }
    return out + QStringLiteral("</tbody></table></div>\n");
}

QString list(const std::vector<std::string>& lines) {
    QString out;
    for (const std::string& line : lines) {
        out += QStringLiteral("<li>%1</li>\n").arg(text(line));
    }
    return out.isEmpty() ? out : QStringLiteral("<ul>\n%1</ul>\n").arg(out);
}

class Page {
  public:
    explicit Page(const std::shared_ptr<const Study>& study) : study_(study) {}

    [[nodiscard]] QString whole() {
        const QString content = body();  // before the head: it names the colours
        return QStringLiteral(
                   "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                   "style-src 'unsafe-inline'; img-src data:\"/>\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                   "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>") +
               title() + QStringLiteral("</title>\n<style>\n") + style() +
               QStringLiteral("</style>\n</head>\n<body>\n") + content + QStringLiteral("</body>\n</html>\n");
    }

  private:
    [[nodiscard]] QString title() const {
        const QFileInfo file(QString::fromStdString(printable(study_->plan.file)));
        return QStringLiteral("%1 of %2, workload %3")
            .arg(study_->sweep ? QStringLiteral("Sweep") : QStringLiteral("Comparison"),
                 file.fileName().toHtmlEscaped(), text(workloadText(*study_)));
    }

    [[nodiscard]] QString body() {
        QString out =
            QStringLiteral("<h1>%1</h1>\n<p class=\"muted\">%2</p>\n").arg(title(), text(planLine(*study_)));
        // Of a sweep the remarks are among its findings.
        out += section("Found", list(findingsInWords(*study_)) +
                                    list(study_->sweep ? std::vector<std::string>() : remarks(*study_)));
        if (study_->sweep) {
            out += section("By size",
                           plot(PlotKind::sweep) +
                               table(sweepTable(*study_), "Throughput by size (▲ faster, ▼ slower, = tied)") +
                               table(sweepFaultTable(*study_), "Faults and reading from storage by size"));
        } else {
            out += section("Compared", table(summaryTable(*study_), "Medians over the measured rounds") +
                                           plot(PlotKind::ratio));
            const SummaryTable why = whyTable(*study_);
            out += section("Where the time went", why.rows.empty() ? QString()
                                                                   : plot(PlotKind::why) +
                                                                         table(why, "Medians, taken apart") +
                                                                         list(whySentences(*study_)));
            out += section("Over time",
                           plot(PlotKind::throughput) + plot(PlotKind::faults) + plot(PlotKind::memory));
            out += section("Page faults", plot(PlotKind::faultMap) + list(faultSentences(*study_)));
        }
        out += section("Method", list(methodInWords(*study_)));
        QString facts;
        for (const NamedFact& fact : environmentFacts(*study_)) {
            facts += QStringLiteral("<dt>%1</dt><dd>%2</dd>\n").arg(text(fact.name), text(fact.value));
        }
        return out + section("Environment", QStringLiteral("<dl>\n%1</dl>\n").arg(facts));
    }

    [[nodiscard]] static QString section(const char* heading, const QString& content) {
        return content.isEmpty() ? QString()
                                 : QStringLiteral("<section>\n<h2>%1</h2>\n%2</section>\n")
                                       .arg(QString::fromUtf8(heading), content);
    }

    /// Empty where the study has nothing for it.
    [[nodiscard]] QString plot(PlotKind kind) {
        if (!checkPlot(*study_, kind)) {
            return {};
        }
        PlotOptions options;
        options.kind = kind;
        options.width = kPlotWidth;
        std::array<QByteArray, 2> drawn;
        QString words;
        for (const bool dark : {false, true}) {
            const FigureStyle style(dark);
            Figure figure = makeFigure(study_, kind, style);
            words = figure.title + QStringLiteral(". ") + figure.description;
            // What the page says beside it needn't be said in the picture again.
            figure.title = figure.heading;
            figure.subtitle.clear();
            figure.notes.clear();
            const auto size = sizeOf(figure, style, options);
            if (!size) {
                return QStringLiteral("<p class=\"muted\">%1</p>\n").arg(text(size.error().message));
            }
            drawn[dark ? 1 : 0] = renderSvg(figure, style, *size, 1);
        }
        return QStringLiteral("<figure>%1</figure>\n").arg(pairedSvg(drawn[0], drawn[1], words, colours_));
    }

    [[nodiscard]] QString style() {
        const Theme light = Theme::forPalette(applicationPalette(false));
        const Theme dark = Theme::forPalette(applicationPalette(true));
        const auto colour = [&](QColor (Theme::*get)() const) {
            return colours_.use((light.*get)().name(), (dark.*get)().name());
        };
        QString rules =
            QStringLiteral(
                "body{margin:2rem auto;padding:0 1rem;max-width:75rem;font:15px/1.5 system-ui,"
                "'DejaVu Sans',sans-serif;background:%1;color:%2}\n"
                "h1{font-size:1.5rem;line-height:1.25;overflow-wrap:anywhere}h2{font-size:1.15rem;"
                "margin:2rem 0 .5rem;border-bottom:1px solid %3}\n"
                "p,li,dd{overflow-wrap:anywhere}.muted,small,caption,dt{color:%4}\n"
                ".wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;"
                "font-size:.9rem}caption{text-align:left;padding:.3rem 0}\n"
                "th,td{padding:.25rem .6rem;text-align:right;border-bottom:1px solid %3;white-space:nowrap}"
                "thead th{vertical-align:top;font-weight:600}th.l,td.l{text-align:left}"
                "tbody th{font-weight:400}small{font-weight:400}\n"
                "figure{margin:1rem 0}svg{display:block;width:100%;height:auto}\n"
                "dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;font-size:.9rem}"
                "dd{margin:0}\n")
                .arg(colour(&Theme::plotBackground), colour(&Theme::text), colour(&Theme::gridLine),
                     colour(&Theme::mutedText));
        rules += QStringLiteral(".v-faster{color:%1}.v-slower{color:%2}.v-unranked{color:%3}\n")
                     .arg(colour(&Theme::good), colour(&Theme::bad), colour(&Theme::mutedText));
        return QStringLiteral(
                   ":root{color-scheme:light dark;%1}\nimage.dark{display:none}\n"
                   "@media (prefers-color-scheme:dark){:root{%2}image.dark{display:inline}"
                   "image.light{display:none}}\n"
                   "@media print{:root{%1}image.dark{display:none}image.light{display:inline}}\n")
                   .arg(colours_.declarations(false), colours_.declarations(true)) +
               rules;
    }

    std::shared_ptr<const Study> study_;
    PageColours colours_;
};

}  // namespace

std::string studyToHtml(const std::shared_ptr<const Study>& study) {
    return Page(study).whole().toStdString();
}

}  // namespace mmapscope
