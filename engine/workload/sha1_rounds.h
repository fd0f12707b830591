// SHA-1's rounds (FIPS 180-4, 6.1.2) over vectors of any width, for the implementations alone. The includer
// defines SHA1_INLINE with its instruction set: a function with other target options could not be inlined.
//
// `Ops` names the vector type and has add, parity, choose, majority, rotate<bits>, broadcast, and
// load, store (a row of Sha1States) and transposeBlock (the 16 big-endian words of each lane's block).
#pragma once

#ifndef SHA1_INLINE
#error "define SHA1_INLINE: always_inline with the target of the instruction set"
#endif

#include <utility>

#include "workload/sha1_lanes.h"

namespace mmapscope {
namespace {

template <class Ops>
struct Sha1Rounds {
    using Vector = typename Ops::Vector;
    static constexpr std::size_t kLanes = sizeof(Vector) / sizeof(std::uint32_t);
    struct Words {
        Vector a, b, c, d, e;
    };

    template <int kRound>
    SHA1_INLINE static Vector mix(const Words& v) {
        if constexpr (kRound < 20) {
            return Ops::choose(v.b, v.c, v.d);
        } else if constexpr (kRound >= 40 && kRound < 60) {
            return Ops::majority(v.b, v.c, v.d);
        } else {
            return Ops::parity(v.b, v.c, v.d);
        }
    }

    template <int kRound>
    SHA1_INLINE static void round(Words& v, Vector (&schedule)[16]) {
        constexpr std::uint32_t kConstants[] = {0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6};
        Vector& word = schedule[kRound % 16];
        if constexpr (kRound >= 16) {
            const Vector first = Ops::parity(schedule[(kRound - 3) % 16], schedule[(kRound - 8) % 16],
                                             schedule[(kRound - 14) % 16]);
            word = Ops::template rotate<1>(Ops::exclusiveOr(first, word));
        }
        // Added in this order, only the last two additions wait for the round before.
        const Vector early = Ops::add(v.e, Ops::add(word, Ops::broadcast(kConstants[kRound / 20])));
        const Vector a = Ops::add(Ops::add(early, mix<kRound>(v)), Ops::template rotate<5>(v.a));
        v = {a, v.a, Ops::template rotate<30>(v.b), v.c, v.d};
    }

    template <int... kRound>
    SHA1_INLINE static void all(Words& v, Vector (&schedule)[16], std::integer_sequence<int, kRound...>) {
        (round<kRound>(v, schedule), ...);
    }

    SHA1_INLINE static void advance(Sha1States& states, const std::byte* const* at, std::size_t blocks) {
        auto& words = states.words;
        Words sum{Ops::load(words[0].data()), Ops::load(words[1].data()), Ops::load(words[2].data()),
                  Ops::load(words[3].data()), Ops::load(words[4].data())};
        for (std::size_t i = 0; i < blocks; ++i) {
            fetchAhead(at, kLanes, i);
            Vector schedule[16];
            Ops::transposeBlock(at, i * kSha1Block, schedule);
            Words v = sum;
            all(v, schedule, std::make_integer_sequence<int, 80>());
            sum = {Ops::add(sum.a, v.a), Ops::add(sum.b, v.b), Ops::add(sum.c, v.c), Ops::add(sum.d, v.d),
                   Ops::add(sum.e, v.e)};
        }
        Ops::store(words[0].data(), sum.a);
        Ops::store(words[1].data(), sum.b);
        Ops::store(words[2].data(), sum.c);
        Ops::store(words[3].data(), sum.d);
        Ops::store(words[4].data(), sum.e);
    }
};

}  // namespace
}  // namespace mmapscope
