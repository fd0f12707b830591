#include "workload/tick_detect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "core/text.h"
#include "workload/tick_scanner.h"

namespace mmapscope {
namespace {

constexpr std::int64_t kNanosecond = 1'000'000'000;
constexpr std::int64_t kEarliestPlausible = 631'152'000 * kNanosecond;  // 1990-01-01
constexpr std::int64_t kLatestPlausible = 7'258'118'400 * kNanosecond;  // 2200-01-01
constexpr std::size_t kShownRow = 60;  ///< characters, an escaped one being four

/// The first lines, each with its line feed, in memory a scanner may read behind.
class Lines {
  public:
    explicit Lines(TickHead head) {
        std::string_view bytes = head.bytes;
        if (bytes.starts_with(kUtf8ByteOrderMark)) {
            bytes.remove_prefix(kUtf8ByteOrderMark.size());
        }
        const bool openEnd = head.whole && !bytes.empty() && bytes.back() != '\n';
        text_.reserve(bytes.size() + 1 + kTickPadding);
        text_.append(bytes).append(openEnd ? "\n" : "");
        const std::size_t used = text_.rfind('\n') + 1;  // 0 without a whole line
        unfinished_ = text_.substr(used);
        text_.resize(used);
        text_.append(kTickPadding, '\0');
        for (std::size_t begin = 0; begin < used && lines_.size() <= kTickHeadRows;) {
            const std::size_t next = text_.find('\n', begin) + 1;
            lines_.emplace_back(text_.data() + begin, next - begin);
            begin = next;
        }
        while (!lines_.empty() && content(lines_.back()).empty()) {
            lines_.pop_back();
        }
    }
    Lines(const Lines&) = delete;
    Lines& operator=(const Lines&) = delete;

    [[nodiscard]] const std::vector<std::string_view>& all() const { return lines_; }
    /// What follows the last line feed.
    [[nodiscard]] const std::string& unfinished() const { return unfinished_; }

    [[nodiscard]] static std::string_view content(std::string_view line) {
        line.remove_suffix(line.ends_with("\r\n") ? 2 : 1);
        return line;
    }

  private:
    std::string text_;
    std::string unfinished_;
    std::vector<std::string_view> lines_;
};

std::vector<std::string_view> fieldsOf(std::string_view content) {
    std::vector<std::string_view> fields;
    while (true) {
        const std::size_t comma = content.find(',');
        std::string_view field = content.substr(0, comma);
        if (field.size() >= 2 && field.front() == '"' && field.back() == '"') {
            field = field.substr(1, field.size() - 2);
        }
        fields.push_back(field);
        if (comma == std::string_view::npos) {
            return fields;
        }
        content.remove_prefix(comma + 1);
    }
}

bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool looksLikeNames(const std::vector<std::string_view>& fields) {
    return std::all_of(fields.begin(), fields.end(),
                       [](std::string_view f) { return !f.empty() && isLetter(f[0]); });
}

bool sameIgnoringCase(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](char x, char y) { return lower(x) == lower(y); });
}

bool namesMatch(const std::vector<std::string_view>& fields, const TickSchema& schema) {
    return std::equal(
        fields.begin(), fields.end(), schema.columns.begin(), schema.columns.end(),
        [](std::string_view field, const TickColumn& c) { return sameIgnoringCase(field, c.name); });
}

struct Fit {
    bool fits = false;
    std::optional<TickReject> reject;  ///< absent for an empty line and for a time no market ever had
};

Fit fit(const TickPlan& plan, std::string_view line, bool plausibleTimeOnly) {
    TickTotals totals;
    scanTickLine(plan, line.data(), line.data() + line.size(), 0, totals);
    const bool plausible = !plausibleTimeOnly || !plan.hasClock ||
                           (totals.firstTime >= kEarliestPlausible && totals.firstTime < kLatestPlausible);
    return {totals.rows == 1 && plausible,
            totals.rejected > 0 ? std::optional(totals.firstReject) : std::nullopt};
}

/// One schema with one number of columns, held against the first rows.
struct Candidate {
    TickSchema schema;
    bool header = false;
    bool headerNames = false;  ///< the header's names are the schema's
    std::size_t looked = 0;
    std::size_t fitting = 0;
    std::optional<std::size_t> misfit = {};  ///< index of the first line that doesn't fit
    std::optional<TickReject> reject = {};   ///< of that line

    [[nodiscard]] bool fitsHalf() const {
        return (looked > 0 && fitting * 2 >= looked) || (looked == 0 && headerNames);
    }
};

Candidate tryOn(const TickSchema& schema, const Lines& lines, std::string_view headerWanted,
                bool plausibleTimeOnly) {
    Candidate candidate{schema};
    const TickPlan plan = makeTickPlan(schema);
    const auto& all = lines.all();
    if (!all.empty()) {
        const auto first = fieldsOf(Lines::content(all.front()));
        candidate.headerNames = namesMatch(first, schema);
        candidate.header = headerWanted == "yes" ||
                           (headerWanted != "no" && (candidate.headerNames ||
                                                     (looksLikeNames(first) && first.size() == plan.columns &&
                                                      !fit(plan, all.front(), false).fits)));
    }
    candidate.headerNames &= candidate.header;
    for (std::size_t i = candidate.header ? 1 : 0; i < all.size() && candidate.looked < kTickHeadRows; ++i) {
        ++candidate.looked;
        const Fit one = fit(plan, all[i], plausibleTimeOnly);
        candidate.fitting += one.fits ? 1 : 0;
        if (!one.fits && !candidate.misfit) {
            candidate.misfit = i;
            candidate.reject = one.reject;
        }
    }
    return candidate;
}

bool better(const Candidate& a, const Candidate& b) {
    return a.fitting != b.fitting ? a.fitting > b.fitting : a.headerNames && !b.headerNames;
}

std::optional<std::size_t> columnsWanted(const Parameters& parameters) {
    const std::string& text = textOf(parameters, "columns");
    std::size_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(count) : std::nullopt;
}

/// The schema with each number of columns it may have and that is asked for, most columns first.
std::vector<TickSchema> variantsOf(const TickSchema& schema, std::optional<std::size_t> wanted) {
    std::vector<TickSchema> variants;
    for (std::size_t count = schema.columns.size(); count >= schema.leastColumns; --count) {
        if (!wanted || *wanted == count) {
            variants.push_back(withColumns(schema, count));
        }
    }
    return variants;
}

tl::unexpected<Error> columnsRefused(const TickSchema& schema, std::size_t wanted) {
    const std::string title = schema.name.empty() ? std::string("the column list") : schema.name;
    return fail(ErrorKind::usage,
                schema.leastColumns == schema.columns.size()
                    ? fmt::format("columns={}: {} has {}", wanted, title, schema.columns.size())
                    : fmt::format("columns={}: {} has {} to {}", wanted, title, schema.leastColumns,
                                  schema.columns.size()));
}

std::string plural(std::size_t count) {
    return count == 1 ? "the first row fits" : fmt::format("all {} first rows fit", count);
}

std::string reasonFor(const Candidate& chosen, const std::vector<std::string>& alternatives) {
    std::string reason = chosen.looked == 0 ? std::string("the header has its names; there are no rows")
                         : chosen.fitting == chosen.looked
                             ? plural(chosen.looked)
                             : fmt::format("{} of the {} first rows fit", chosen.fitting, chosen.looked);
    if (alternatives.empty()) {
        return reason + " and no other known schema does";
    }
    return fmt::format(
        "{}; {} would fit too: of those that fit, the one with the most fitting rows is taken, then the "
        "one the header names, then the first by list; name another with schema=",
        reason, fmt::join(alternatives, ", "));
}

TickDetection detectionOf(const Candidate& candidate, std::vector<std::string> alternatives,
                          std::string reason) {
    return {candidate.schema,  candidate.header,        candidate.looked,
            candidate.fitting, std::move(alternatives), std::move(reason)};
}

Result<TickDetection> obey(const TickSchema& schema, const Lines& lines, const Parameters& parameters) {
    const auto wanted = columnsWanted(parameters);
    const auto variants = variantsOf(schema, wanted);
    if (variants.empty()) {
        return columnsRefused(schema, wanted.value_or(0));
    }
    std::optional<Candidate> best;
    for (const TickSchema& variant : variants) {
        Candidate candidate = tryOn(variant, lines, textOf(parameters, "header"), false);
        if (!best || better(candidate, *best)) {
            best = std::move(candidate);
        }
    }
    return detectionOf(*best, {},
                       fmt::format("as asked for; {} of the {} first rows fit", best->fitting, best->looked));
}

std::string shown(std::string_view row) {
    const std::string whole = printable(row.substr(0, kShownRow));
    std::size_t length = 0;
    std::size_t end = 0;
    while (end < whole.size() && length < kShownRow) {
        // A character is shown whole, and so is an escape.
        const bool escape = whole[end] == '\\' && whole.compare(end, 2, "\\x") == 0;
        const std::size_t before = end;
        end += escape ? 4 : 1;
        while (!escape && end < whole.size() && (static_cast<unsigned char>(whole[end]) & 0xc0U) == 0x80) {
            ++end;
        }
        length += escape ? 4 : 1;
        if (length > kShownRow) {
            end = before;
            break;
        }
    }
    end = std::min(end, whole.size());
    const bool cut = end < whole.size() || row.size() > kShownRow;
    return fmt::format("\"{}{}\"", whole.substr(0, end), cut ? "…" : "");
}

/// `closest` is the schema that the most of the first rows fit.
tl::unexpected<Error> nothingFits(const Lines& lines, const std::optional<Candidate>& closest) {
    constexpr std::string_view advice =
        "name a schema (schema=generic, say) or give the columns (schema=time:time,price:decimal,…)";
    const auto& all = lines.all();
    const std::string_view row =
        all.empty() ? std::string_view(lines.unfinished()) : Lines::content(all.front());
    if (row.starts_with("\x28\xB5\x2F\xFD")) {
        return fail(ErrorKind::input,
                    "no tick CSV: it is compressed with zstd; use the workload zstd:then=ticks");
    }
    if (all.empty()) {
        return fail(ErrorKind::input,
                    fmt::format("no tick CSV: no line end in the first {}, which begin {}; {}",
                                formatBytes(kTickHead), shown(row), advice));
    }
    if (closest && closest->fitting > 0 && closest->misfit) {
        const std::string why = closest->reject ? describeReject(closest->schema, *closest->reject)
                                                : std::string("no row, or not a time of a trade");
        return fail(ErrorKind::input,
                    fmt::format("no known tick schema fits: {} comes closest with {} of the {} first rows; "
                                "line {} is the first that doesn't fit it ({}): {}: {}",
                                closest->schema.name, closest->fitting, closest->looked, *closest->misfit + 1,
                                why, shown(Lines::content(all[*closest->misfit])), advice));
    }
    return fail(ErrorKind::input,
                fmt::format("no known tick schema fits; the first row is {}: {}", shown(row), advice));
}

Result<TickDetection> choose(const Lines& lines, const Parameters& parameters) {
    const std::string& header = textOf(parameters, "header");
    if (lines.all().empty() && lines.unfinished().empty()) {
        const TickSchema& generic = *findTickSchema("generic");
        const auto wanted = columnsWanted(parameters);
        const auto variants = variantsOf(generic, wanted);
        if (variants.empty()) {
            return columnsRefused(generic, wanted.value_or(0));
        }
        Candidate none{variants.front()};
        none.header = header == "yes";
        return detectionOf(none, {}, "there are no rows");
    }
    std::vector<Candidate> fitting;
    std::optional<Candidate> closest;
    for (const TickSchema& schema : knownTickSchemas()) {
        for (const TickSchema& variant : variantsOf(schema, columnsWanted(parameters))) {
            Candidate candidate = tryOn(variant, lines, header, true);
            if (candidate.fitsHalf()) {
                fitting.push_back(std::move(candidate));
            } else if (!closest || better(candidate, *closest)) {
                closest = std::move(candidate);
            }
        }
    }
    if (fitting.empty()) {
        return nothingFits(lines, closest);
    }
    std::stable_sort(fitting.begin(), fitting.end(), better);
    std::vector<std::string> alternatives;
    for (const Candidate& other : fitting) {
        if (other.schema.name != fitting.front().schema.name) {
            alternatives.push_back(other.schema.name);
        }
    }
    std::string reason = reasonFor(fitting.front(), alternatives);
    return detectionOf(fitting.front(), std::move(alternatives), std::move(reason));
}

}  // namespace

const std::vector<ParameterSpec>& tickParameterSpecs() {
    static const std::vector<ParameterSpec> specs{
        {"schema", ParameterKind::text, "auto",
         "A known schema's name, or the columns as name:kind,… with kinds int, decimal, time[:s|ms|us|ns], "
         "flag, "
         "side, text, skip."},
        {"header",
         ParameterKind::choice,
         "auto",
         "Whether the first line holds the columns' names.",
         {"auto", "yes", "no"}},
        {"columns",
         ParameterKind::integer,
         "auto",
         "How many columns there are, where the last ones of a schema may be missing (generic: 3 to 5).",
         {},
         Bytes(1),
         Bytes(kMaxTickColumns)}};
    return specs;
}

Result<TickDetection> detectTicks(TickHead head, const Parameters& parameters) {
    const std::string& text = textOf(parameters, "schema");
    if (text == "auto") {
        return choose(Lines(head), parameters);
    }
    const auto schema = parseTickSchema(text);
    return schema ? obey(*schema, Lines(head), parameters) : tl::unexpected(schema.error());
}

Result<Parameters> resolveTicks(TickHead head, const Parameters& parameters) {
    const auto detection = detectTicks(head, parameters);
    if (!detection) {
        return tl::unexpected(detection.error());
    }
    Parameters resolved = parameters;
    if (!detection->schema.name.empty()) {
        resolved["schema"] = detection->schema.name;
    }
    resolved["header"] = detection->header ? "yes" : "no";
    resolved["columns"] = fmt::format("{}", detection->schema.columns.size());
    if (resolved.contains("scanner")) {
        const auto scanner = chosenTickScanner(resolved, makeTickPlan(detection->schema));
        if (!scanner) {
            return tl::unexpected(scanner.error());
        }
        resolved["scanner"] = (*scanner)->name;
    }
    return resolved;
}

Result<TickSchema> tickSchemaOf(const Parameters& parameters) {
    const auto schema = parseTickSchema(textOf(parameters, "schema"));
    if (!schema) {
        return schema;
    }
    const std::size_t count = columnsWanted(parameters).value_or(schema->columns.size());
    if (count < schema->leastColumns || count > schema->columns.size()) {
        return columnsRefused(*schema, count);
    }
    return withColumns(*schema, count);
}

std::string describeTicks(const TickDetection& detection) {
    std::vector<std::string> names;
    for (const TickColumn& column : detection.schema.columns) {
        names.push_back(printable(column.name));
    }
    return fmt::format("tick CSV, {} ({}), {}: {}",
                       detection.schema.name.empty() ? "own columns" : detection.schema.name,
                       fmt::join(names, ", "), detection.header ? "header" : "no header", detection.reason);
}

}  // namespace mmapscope
