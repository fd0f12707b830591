#include "corpus/tick_rows.h"

#include <array>
#include <cstring>
#include <utility>

namespace mmapscope {
namespace {

constexpr std::uint64_t kMicrosecondsFrom = 1'735'689'600'000'000;  // 2025-01-01, Binance spot

constexpr std::array<char, 200> kPairs = [] {
    std::array<char, 200> pairs{};
    for (std::size_t i = 0; i < 100; ++i) {
        pairs[2 * i] = static_cast<char>('0' + i / 10);
        pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
    }
    return pairs;
}();

constexpr std::array<std::uint64_t, 9> kPowers{1,       10,        100,        1000,       10'000,
                                               100'000, 1'000'000, 10'000'000, 100'000'000};

/// Exactly `count` digits, zeros in front.
char* putDigits(char* out, std::uint64_t value, unsigned count) noexcept {
    unsigned at = count;
    for (; at >= 2; at -= 2) {
        std::memcpy(out + at - 2, &kPairs[value % 100 * 2], 2);
        value /= 100;
    }
    if (at == 1) {
        *out = static_cast<char>('0' + value % 10);
    }
    return out + count;
}

char* putNumber(char* out, std::uint64_t value) noexcept {
    unsigned count = 1;
    for (std::uint64_t rest = value; rest >= 10; rest /= 10) {
        ++count;
    }
    return putDigits(out, value, count);
}

/// `value` in units of 10^-decimals, all of its decimals written.
char* putFixed(char* out, std::uint64_t value, unsigned decimals) noexcept {
    out = putNumber(out, value / kPowers[decimals]);
    if (decimals > 0) {
        *out++ = '.';
        out = putDigits(out, value % kPowers[decimals], decimals);
    }
    return out;
}

/// The same without zeros at the end of the fraction.
char* putTrimmed(char* out, std::uint64_t value, unsigned decimals) noexcept {
    while (decimals > 0 && value % 10 == 0) {
        value /= 10;
        --decimals;
    }
    return putFixed(out, value, decimals);
}

char* put(char* out, std::string_view text) noexcept {
    std::memcpy(out, text.data(), text.size());
    return out + text.size();
}

char* comma(char* out) noexcept {
    *out = ',';
    return out + 1;
}

char* feed(char* out) noexcept {
    *out = '\n';
    return out + 1;
}

std::uint64_t quoteE7(const Market& m) noexcept {
    return m.cents * m.sizeE5;
}

char* spotTime(char* out, const Market& m) noexcept {
    return putNumber(out, m.timeUs < kMicrosecondsFrom ? m.timeUs / 1000 : m.timeUs);
}

char* spotTrade(char* out, Market& m) {
    out = comma(putNumber(out, m.id));
    out = comma(put(putFixed(out, m.cents, 2), "000000"));
    out = comma(put(putFixed(out, m.sizeE5, 5), "000"));
    out = comma(put(putFixed(out, quoteE7(m), 7), "0"));
    out = comma(spotTime(out, m));
    return put(out, m.buyerMaker ? "True,True\n" : "False,True\n");
}

char* spotAggregate(char* out, Market& m) {
    out = comma(putNumber(out, m.id));
    out = comma(put(putFixed(out, m.cents, 2), "000000"));
    out = comma(put(putFixed(out, m.sizeE5, 5), "000"));
    out = comma(putNumber(out, m.firstId));
    out = comma(putNumber(out, m.lastId));
    out = comma(spotTime(out, m));
    return put(out, m.buyerMaker ? "True,True\n" : "False,True\n");
}

char* futuresTrade(char* out, Market& m) {
    out = comma(putNumber(out, m.id));
    out = comma(putTrimmed(out, m.cents, 2));
    out = comma(putTrimmed(out, m.sizeE5, 5));
    out = comma(putTrimmed(out, quoteE7(m), 7));
    out = comma(putNumber(out, m.timeUs / 1000));
    return put(out, m.buyerMaker ? "true\n" : "false\n");
}

char* futuresAggregate(char* out, Market& m) {
    out = comma(putNumber(out, m.id));
    out = comma(putTrimmed(out, m.cents, 2));
    out = comma(putTrimmed(out, m.sizeE5, 5));
    out = comma(putNumber(out, m.firstId));
    out = comma(putNumber(out, m.lastId));
    out = comma(putNumber(out, m.timeUs / 1000));
    return put(out, m.buyerMaker ? "true\n" : "false\n");
}

char* tardisTrade(char* out, Market& m) {
    const std::uint64_t random = m.random.next();
    out = put(out, "binance-futures,BTCUSDT,");
    out = comma(putNumber(out, m.timeUs));
    out = comma(putNumber(out, m.timeUs + 300 + random % 4000));
    out = comma(putNumber(out, m.id));
    out = put(out, random >> 56U == 0 ? "unknown," : m.buyerMaker ? "sell," : "buy,");
    out = comma(putTrimmed(out, m.cents, 2));
    return feed(putTrimmed(out, m.sizeE5, 5));
}

char* krakenTrade(char* out, Market& m) {
    const unsigned decimals = static_cast<unsigned>(m.random.next() >> 62U) * 2;  // 0, 2, 4 or 6
    out = comma(put(putFixed(out, m.cents, 2), "000"));
    out = comma(put(putFixed(out, m.sizeE5, 5), "000"));
    return feed(putFixed(out, m.timeUs / kPowers[6 - decimals], decimals));
}

char* genericTrade(char* out, Market& m) {
    const std::uint64_t random = m.random.next();
    const unsigned priceDecimals = 2 + static_cast<unsigned>(random % 7);
    unsigned sizeDecimals = static_cast<unsigned>((random >> 8U) % 9);
    const std::uint64_t priceE8 = m.cents * kPowers[6] + ((random >> 16U) & 0xFFFFFU) % kPowers[6];
    const std::uint64_t sizeE8 = m.sizeE5 * 1000 + (random >> 40U) % 1000;
    while (sizeE8 < kPowers[8 - sizeDecimals]) {  // nobody trades 0
        ++sizeDecimals;
    }
    out = comma(putNumber(out, m.timeUs / 1000));
    out = comma(putFixed(out, priceE8 / kPowers[8 - priceDecimals], priceDecimals));
    out = comma(putFixed(out, sizeE8 / kPowers[8 - sizeDecimals], sizeDecimals));
    out = put(out, m.buyerMaker ? "S," : "B,");
    return feed(putNumber(out, m.id));
}

}  // namespace

void Market::advance() noexcept {
    const std::uint64_t first = random.next();
    const std::uint64_t second = random.next();
    ++id;
    timeUs += first % 4000;  // 500 trades a second
    firstId = lastId + 1;
    lastId = firstId + ((first >> 16U) % 4 == 0 ? (first >> 20U) % 8 : 0);
    // Two trades in three at the price of the one before; it keeps between 10,000 and 100,000.
    if ((first >> 32U) % 3 == 0) {
        const std::uint64_t step = (first >> 36U) % 40;
        const bool up = cents < 1'000'000 + 40 || (cents < 10'000'000 - 40 && ((first >> 48U) & 1U) != 0);
        cents = up ? cents + step : cents - step;
    }
    buyerMaker = ((first >> 50U) & 1U) != 0;
    // Small amounts are the common ones: one to seven digits of 10^-5.
    sizeE5 = 1 + (second >> 8U) % (kPowers[1 + second % 7]);
}

RowWriter rowWriterFor(std::string_view schema) {
    constexpr std::array<std::pair<std::string_view, RowWriter>, 7> writers{
        {{"binance-spot-trades", spotTrade},
         {"binance-spot-aggtrades", spotAggregate},
         {"binance-futures-trades", futuresTrade},
         {"binance-futures-aggtrades", futuresAggregate},
         {"tardis-trades", tardisTrade},
         {"kraken-trades", krakenTrade},
         {"generic", genericTrade}}};
    for (const auto& [name, writer] : writers) {
        if (name == schema) {
            return writer;
        }
    }
    return nullptr;
}

}  // namespace mmapscope
