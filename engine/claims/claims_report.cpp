#include "claims/claims_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "report/tables.h"

namespace mmapscope {
namespace {

std::string formatted(double value, int places) {
    return fmt::format("{:.{}f}", value, places);
}

std::string reasonText(const ClaimResult& result) {
    if (result.verdict == ClaimVerdict::notTestable) {
        return fmt::format("{}: {}", name(result.verdict), result.reason);
    }
    std::size_t deciding = 0, told = 0;
    for (const Finding& finding : result.findings) {
        deciding += finding.spec.decides ? 1 : 0;
        told += finding.spec.decides && finding.verdict != ClaimVerdict::notTestable ? 1 : 0;
    }
    return told == deciding
               ? std::string(name(result.verdict))
               : fmt::format("{}, by {} of its {} figures", name(result.verdict), told, deciding);
}

/// Of the first study there is; every study has its own cache state, so that is left to each claim.
std::string environmentText(const ClaimsReport& report) {
    for (const auto& [id, study] : report.studies) {
        if (study.study) {
            std::string line = environmentLine(*study.study);
            const std::size_t cache = line.find("; cache ");
            const std::size_t end = cache == std::string::npos ? cache : line.find(';', cache + 1);
            return end == std::string::npos ? line : line.erase(cache, end - cache);
        }
    }
    return "environment not read: no study could be run";
}

std::string summaryText(const ClaimsReport& report) {
    const auto count = [&](ClaimVerdict verdict) {
        return std::count_if(report.results.begin(), report.results.end(),
                             [&](const ClaimResult& result) { return result.verdict == verdict; });
    };
    return fmt::format("{} claims: {} agree, {} disagree, {} not testable here{}{}", report.results.size(),
                       count(ClaimVerdict::agrees), count(ClaimVerdict::disagrees),
                       count(ClaimVerdict::notTestable),
                       report.quick ? " (small samples and few rounds: --quick)" : "",
                       report.complete ? "" : "; stopped before the end");
}

std::string studyText(const FindingSpec& spec, const ClaimsReport& report) {
    const auto it = report.studies.find(spec.study);
    if (it == report.studies.end() || !it->second.study) {
        return {};
    }
    const Plan& plan = it->second.study->plan;
    return fmt::format("{} of {}, cache {}, {} rounds{}", plan.workload, formatBytes(plan.fileBytes),
                       name(plan.cache), plan.rounds,
                       plan.memoryCap ? fmt::format(", memory cap {}", formatBytes(*plan.memoryCap)) : "");
}

nlohmann::ordered_json findingJson(const Finding& finding, const ClaimsReport& report) {
    nlohmann::ordered_json json{{"what", finding.spec.what},
                                {"study", finding.spec.study},
                                {"study_plan", studyText(finding.spec, report)},
                                {"kind", isRatio(finding.spec.figure) ? "ratio" : "level"},
                                {"arm", finding.spec.arm}};
    if (isRatio(finding.spec.figure)) {
        json["against"] = finding.spec.against;
    }
    json["published"] = finding.spec.onlyDirection
                            ? nlohmann::ordered_json(finding.spec.published < 1   ? "less"
                                                     : finding.spec.published > 1 ? "more"
                                                                                  : "tied")
                            : nlohmann::ordered_json(finding.spec.published);
    if (finding.here) {
        json["here"] = {
            {"value", finding.here->ratio}, {"low", finding.here->low}, {"high", finding.here->high}};
    }
    json["verdict"] = name(finding.verdict);
    if (!finding.reason.empty()) {
        json["reason"] = finding.reason;
    }
    if (finding.sizeAgrees) {
        json["size_agrees"] = *finding.sizeAgrees;
    }
    json["decides"] = finding.spec.decides;
    return json;
}

}  // namespace

std::string figureText(Figure figure, double value) {
    switch (figure) {
        case Figure::minorFaults:
        case Figure::majorFaults:
            return formatted(value, 0);
        case Figure::bytesPerFault:
        case Figure::bytesPerMajorFault:
        case Figure::peakMemory:
            return formatBytes(Bytes(static_cast<std::uint64_t>(value)));
        case Figure::bytesPerSecond:
            return fmt::format("{} GB/s", formatted(value / 1e9, 2));
        default:
            return value != 0 && value < 0.095 ? fmt::format("{:.2g}", value)
                                               : formatted(value, value < 10 ? 2 : 0);
    }
}

std::string publishedText(const FindingSpec& spec) {
    const bool tie = spec.published > 0.99 && spec.published < 1.01;
    if (spec.onlyDirection && isRatio(spec.figure)) {
        return tie ? "tied (no figure)" : spec.published < 1 ? "below 1 (no figure)" : "above 1 (no figure)";
    }
    const std::string figure = figureText(spec.figure, spec.published);
    if (isRatio(spec.figure) || spec.nearness == Nearness::factorTwo) {
        return figure;
    }
    if (spec.published == 0) {
        return "about 0";
    }
    return (spec.nearness == Nearness::atMost ? "at most " : "at least ") + figure;
}

std::string hereText(const Finding& finding) {
    if (!finding.here) {
        return "not available here";
    }
    const Figure figure = finding.spec.figure;
    return fmt::format("{} ({} to {})", figureText(figure, finding.here->ratio),
                       figureText(figure, finding.here->low), figureText(figure, finding.here->high));
}

std::string verdictText(const Finding& finding) {
    std::string text(name(finding.verdict));
    if (finding.verdict == ClaimVerdict::notTestable) {
        return text + ": " + finding.reason;
    }
    if (finding.verdict == ClaimVerdict::agrees && finding.sizeAgrees) {
        text += *finding.sizeAgrees ? ", size too" : ", size not";
    }
    return finding.spec.decides ? text : text + " (said beside)";
}

std::string claimsToText(const ClaimsReport& report) {
    std::string out = summaryText(report) + "\n" + environmentText(report) + "\n\n";
    for (const ClaimResult& result : report.results) {
        out += fmt::format("{}  {}: {}\n", result.claim->id, result.claim->says, reasonText(result));
        for (const Finding& finding : result.findings) {
            out += fmt::format("    {}: published {}, here {}: {}\n", finding.spec.what,
                               publishedText(finding.spec), hereText(finding), verdictText(finding));
        }
        out += fmt::format("    Published for: {}\n    {}\n", result.claim->conditions,
                           result.claim->explanation);
        if (!result.claim->untested.empty() && result.reason != result.claim->untested) {
            out += fmt::format("    Not tested: {}\n", result.claim->untested);
        }
        out += "\n";
    }
    return out + std::string(verdictRule()) + "\n";
}

std::string claimsToMarkdown(const ClaimsReport& report) {
    const auto literal = [](std::string_view text) {
        std::string line(text);
        std::replace(line.begin(), line.end(), '\n', ' ');  // a cell is one line
        return markdownText(line);
    };
    std::string out =
        fmt::format("# Published claims, measured here\n\n{}.\n\n{}\n\n{}\n\n", literal(summaryText(report)),
                    literal(environmentText(report)), literal(verdictRule()));
    out += "| claim | what was compared | published | here, 95 % interval | verdict |\n";
    out += "| --- | --- | --- | --- | --- |\n";
    for (const ClaimResult& result : report.results) {
        if (result.findings.empty()) {
            out += fmt::format("| {} | {} | | | {} |\n", result.claim->id, literal(result.claim->says),
                               literal(reasonText(result)));
        }
        for (const Finding& finding : result.findings) {
            out += fmt::format("| {} | {} | {} | {} | {} |\n", result.claim->id, literal(finding.spec.what),
                               literal(publishedText(finding.spec)), literal(hereText(finding)),
                               literal(verdictText(finding)));
        }
    }
    out +=
        "\nRatios of speed are above 1 where the first is faster; counts and rates show their median and "
        "range.\n";
    for (const ClaimResult& result : report.results) {
        out += fmt::format("\n## {}: {}\n\n{}. Published for: {}. {}\n", result.claim->id,
                           literal(result.claim->says), literal(reasonText(result)),
                           literal(result.claim->conditions), literal(result.claim->explanation));
        if (!result.claim->untested.empty() && result.reason != result.claim->untested) {
            out += fmt::format("\nNot tested: {}\n", literal(result.claim->untested));
        }
        std::vector<std::string> plans;
        for (const Finding& finding : result.findings) {
            if (const std::string plan = studyText(finding.spec, report);
                !plan.empty() && std::find(plans.begin(), plans.end(), plan) == plans.end()) {
                plans.push_back(plan);
            }
        }
        if (!plans.empty()) {
            out += fmt::format("\nMeasured here: {}.\n", literal(fmt::format("{}", fmt::join(plans, "; "))));
        }
        out += fmt::format("\nSources: {}.\n",
                           literal(fmt::format("{}", fmt::join(result.claim->sources, ", "))));
    }
    return out;
}

std::string claimsToCsv(const ClaimsReport& report) {
    std::string out =
        "claim,claim_verdict,reason,what,published,here,low,high,verdict,size_agrees,decides,study\r\n";
    const auto row = [&](const ClaimResult& result, const Finding* finding) {
        const auto number = [](double value) { return fmt::format("{:.17g}", value); };
        std::vector<std::string> cells{std::string(result.claim->id), std::string(name(result.verdict)),
                                       finding != nullptr ? finding->reason : result.reason};
        if (finding == nullptr) {
            cells.resize(12);
        } else {
            const auto& here = finding->here;
            cells.insert(cells.end(),
                         {std::string(finding->spec.what),
                          finding->spec.onlyDirection ? "" : number(finding->spec.published),
                          here ? number(here->ratio) : "", here ? number(here->low) : "",
                          here ? number(here->high) : "", std::string(name(finding->verdict)),
                          finding->sizeAgrees ? (*finding->sizeAgrees ? "true" : "false") : "",
                          finding->spec.decides ? "true" : "false", std::string(finding->spec.study)});
        }
        for (std::string& cell : cells) {
            cell = csvQuoted(cell);
        }
        out += fmt::format("{}\r\n", fmt::join(cells, ","));
    };
    for (const ClaimResult& result : report.results) {
        if (result.findings.empty()) {
            row(result, nullptr);
        }
        for (const Finding& finding : result.findings) {
            row(result, &finding);
        }
    }
    return out;
}

std::string claimsToJson(const ClaimsReport& report) {
    nlohmann::ordered_json json{{"format", "mmapscope-claims"},
                                {"version", 1},
                                {"quick", report.quick},
                                {"complete", report.complete},
                                {"environment", environmentText(report)},
                                {"rule", verdictRule()}};
    json["claims"] = nlohmann::ordered_json::array();
    for (const ClaimResult& result : report.results) {
        nlohmann::ordered_json claim{
            {"id", result.claim->id},          {"group", result.claim->group},
            {"says", result.claim->says},      {"conditions", result.claim->conditions},
            {"verdict", name(result.verdict)}, {"explanation", result.claim->explanation},
            {"sources", result.claim->sources}};
        if (result.verdict == ClaimVerdict::notTestable) {
            claim["reason"] = result.reason;
        }
        if (!result.claim->untested.empty()) {
            claim["not_tested"] = result.claim->untested;
        }
        claim["findings"] = nlohmann::ordered_json::array();
        for (const Finding& finding : result.findings) {
            claim["findings"].push_back(findingJson(finding, report));
        }
        json["claims"].push_back(std::move(claim));
    }
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace mmapscope
