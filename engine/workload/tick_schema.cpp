#include "workload/tick_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/nearest.h"
#include "core/text.h"

namespace mmapscope {
namespace {

struct KindName {
    std::string_view text;
    TickKind kind;
    TimeUnit unit;
};
constexpr std::array<KindName, 11> kKinds{{{"int", TickKind::integer, TimeUnit::byMagnitude},
                                           {"decimal", TickKind::decimal, TimeUnit::byMagnitude},
                                           {"time", TickKind::time, TimeUnit::byMagnitude},
                                           {"time:s", TickKind::time, TimeUnit::seconds},
                                           {"time:ms", TickKind::time, TimeUnit::milliseconds},
                                           {"time:us", TickKind::time, TimeUnit::microseconds},
                                           {"time:ns", TickKind::time, TimeUnit::nanoseconds},
                                           {"flag", TickKind::flag, TimeUnit::byMagnitude},
                                           {"side", TickKind::side, TimeUnit::byMagnitude},
                                           {"text", TickKind::text, TimeUnit::byMagnitude},
                                           {"skip", TickKind::skip, TimeUnit::byMagnitude}}};
constexpr std::string_view kKindHelp =
    "int, decimal, time, time:s, time:ms, time:us, time:ns, flag, side, text, skip";

TickColumn column(std::string_view name, TickKind kind, TimeUnit unit = TimeUnit::byMagnitude) {
    return {std::string(name), kind, unit};
}

std::vector<TickSchema> makeKnown() {
    using enum TickKind;
    std::vector<TickSchema> all{
        {"binance-spot-trades",
         {column("id", integer), column("price", decimal), column("qty", decimal),
          column("quote_qty", decimal), column("time", time), column("is_buyer_maker", flag),
          column("is_best_match", flag)}},
        {"binance-spot-aggtrades",
         {column("agg_trade_id", integer), column("price", decimal), column("quantity", decimal),
          column("first_trade_id", integer), column("last_trade_id", integer), column("transact_time", time),
          column("is_buyer_maker", flag), column("is_best_match", flag)}},
        {"binance-futures-trades",
         {column("id", integer), column("price", decimal), column("qty", decimal),
          column("quote_qty", decimal), column("time", time), column("is_buyer_maker", flag)},
         0,
         true},
        {"binance-futures-aggtrades",
         {column("agg_trade_id", integer), column("price", decimal), column("quantity", decimal),
          column("first_trade_id", integer), column("last_trade_id", integer), column("transact_time", time),
          column("is_buyer_maker", flag)},
         0,
         true},
        {"tardis-trades",
         {column("exchange", text), column("symbol", text), column("timestamp", time),
          column("local_timestamp", time), column("id", text), column("side", side), column("price", decimal),
          column("amount", decimal)},
         0,
         true},
        {"kraken-trades",
         {column("price", decimal), column("volume", decimal), column("time", time, TimeUnit::seconds)}},
        {"generic",
         {column("time", time), column("price", decimal), column("size", decimal), column("side", side),
          column("id", integer)},
         3}};
    for (auto& schema : all) {
        if (schema.leastColumns == 0) {
            schema.leastColumns = schema.columns.size();
        }
    }
    return all;
}

std::vector<std::string_view> knownNames() {
    std::vector<std::string_view> names;
    for (const auto& schema : knownTickSchemas()) {
        names.emplace_back(schema.name);
    }
    return names;
}

Result<TickColumn> parseColumn(std::string_view item) {
    const std::size_t colon = item.find(':');
    if (colon == std::string_view::npos || colon == 0) {
        return fail(ErrorKind::usage,
                    fmt::format("schema: \"{}\" is not a column: write name:kind with kind one of {}",
                                printable(item), kKindHelp));
    }
    const std::string_view kind = item.substr(colon + 1);
    const auto* known =
        std::find_if(kKinds.begin(), kKinds.end(), [&](const KindName& k) { return k.text == kind; });
    if (known == kKinds.end()) {
        return fail(ErrorKind::usage,
                    fmt::format("schema: column \"{}\" has no kind \"{}\": it is one of {}",
                                printable(item.substr(0, colon)), printable(kind), kKindHelp));
    }
    return column(item.substr(0, colon), known->kind, known->unit);
}

}  // namespace

const std::vector<TickSchema>& knownTickSchemas() {
    static const std::vector<TickSchema> known = makeKnown();
    return known;
}

const TickSchema* findTickSchema(std::string_view name) {
    const auto& all = knownTickSchemas();
    const auto it = std::find_if(all.begin(), all.end(), [&](const TickSchema& s) { return s.name == name; });
    return it == all.end() ? nullptr : &*it;
}

Result<TickSchema> parseTickSchema(std::string_view text) {
    if (const TickSchema* known = findTickSchema(text)) {
        return *known;
    }
    if (text.find(':') == std::string_view::npos) {
        return fail(
            ErrorKind::usage,
            fmt::format(
                "schema: there is no \"{}\"{} Known are {}; or give the columns as name:kind,name:kind",
                printable(text),
                nearest(text, knownNames()).empty() ? std::string(".") : didYouMean(text, knownNames()),
                fmt::join(knownNames(), ", ")));
    }
    TickSchema schema;
    while (true) {
        const std::size_t comma = text.find(',');
        auto parsed = parseColumn(text.substr(0, comma));
        if (!parsed) {
            return tl::unexpected(parsed.error());
        }
        const bool twice = std::any_of(schema.columns.begin(), schema.columns.end(),
                                       [&](const TickColumn& c) { return c.name == parsed->name; });
        if (twice) {
            return fail(
                ErrorKind::usage,
                fmt::format(
                    "schema: two columns are called \"{}\"; give each a name of its own, or call the kind "
                    "of one that isn't needed skip",
                    printable(parsed->name)));
        }
        if (schema.columns.size() == kMaxTickColumns) {
            return fail(
                ErrorKind::usage,
                fmt::format(
                    "schema: more than {} columns; cut the file's columns down first (cut -d, -f1-{})",
                    kMaxTickColumns, kMaxTickColumns));
        }
        schema.columns.push_back(std::move(*parsed));
        if (comma == std::string_view::npos) {
            break;
        }
        text.remove_prefix(comma + 1);
    }
    schema.leastColumns = schema.columns.size();
    return schema;
}

TickSchema withColumns(const TickSchema& schema, std::size_t count) {
    TickSchema cut = schema;
    cut.columns.resize(count);
    cut.leastColumns = count;
    return cut;
}

}  // namespace mmapscope
