#include <QtTest>

#include <random>
#include <string_view>
#include <vector>

#include "workload/sha1_lanes.h"

using namespace mmapscope;

namespace {

std::string byOpenSsl(std::span<const std::byte> bytes) {
    auto sha1 = Sha1::make();
    Sha1::Digest digest{};
    if (!sha1 || !sha1->restart() || !sha1->update(bytes) || !sha1->finish(digest)) {
        return "libcrypto failed";
    }
    return hexOf(digest);
}

std::vector<std::byte> randomBytes(std::size_t size, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::byte> bytes(size);
    for (std::byte& b : bytes) {
        b = static_cast<std::byte>(random());
    }
    return bytes;
}

/// Each lane's message, all as long as the first; `step` blocks at a time.
std::vector<std::string> byLanes(const Sha1Lanes& lanes, const std::vector<std::vector<std::byte>>& messages,
                                 std::size_t step) {
    const std::size_t length = messages.front().size();
    const std::size_t rest = length % kSha1Block;
    Sha1States states;
    states.reset();
    std::array<const std::byte*, kMaxSha1Lanes> at{};
    for (std::size_t done = 0; done < length - rest;) {
        const std::size_t blocks = std::min(step, (length - rest - done) / kSha1Block);
        for (std::size_t i = 0; i < lanes.lanes; ++i) {
            at[i] = messages[i].data() + done;
        }
        lanes.advance(states, at.data(), blocks);
        done += blocks * kSha1Block;
    }
    std::vector<Sha1Ending> endings;
    for (std::size_t i = 0; i < lanes.lanes; ++i) {
        endings.emplace_back(std::span(messages[i]).last(rest), length);
    }
    for (std::size_t i = 0; i < lanes.lanes; ++i) {
        at[i] = endings[i].data();
    }
    lanes.advance(states, at.data(), endings.front().blocks());
    std::vector<std::string> digests;
    for (std::size_t i = 0; i < lanes.lanes; ++i) {
        digests.push_back(hexOf(states.digest(i)));
    }
    return digests;
}

void addImplementations() {
    QTest::addColumn<const Sha1Lanes*>("lanes");
    for (const Sha1Lanes* lanes : allSha1Lanes()) {
        QTest::newRow(std::string(lanes->name).c_str()) << lanes;
    }
}

}  // namespace

Q_DECLARE_METATYPE(const Sha1Lanes*)

class Sha1Test : public QObject {
    Q_OBJECT

  private slots:
    // The examples NIST publishes for FIPS 180 (its csrc "SHA1.pdf" and the byte test vectors' first entry).
    void knownDigests_data() { addImplementations(); }
    void knownDigests() {
        QFETCH(const Sha1Lanes*, lanes);
        if (!lanes->supported()) {
            QSKIP("this CPU doesn't have it");
        }
        const std::array<std::pair<std::string, std::string>, 4> known = {
            {{"", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
             {"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
             {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
              "84983e441c3bd26ebaae4aa1f95129e5e54670f1"},
             {std::string(1'000'000, 'a'), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"}}};
        for (const auto& [text, digest] : known) {
            const auto bytes = std::as_bytes(std::span(text));
            const std::vector<std::byte> message(bytes.begin(), bytes.end());
            for (const std::string& got : byLanes(*lanes, {lanes->lanes, message}, SIZE_MAX)) {
                QCOMPARE(got, digest);
            }
        }
    }

    void everyLaneOfEveryLength_data() { addImplementations(); }
    void everyLaneOfEveryLength() {
        QFETCH(const Sha1Lanes*, lanes);
        if (!lanes->supported()) {
            QSKIP("this CPU doesn't have it");
        }
        std::mt19937 random(7);
        for (std::size_t length = 0; length < 600; ++length) {
            std::vector<std::vector<std::byte>> messages;
            std::vector<std::string> wanted;
            for (std::size_t i = 0; i < lanes->lanes; ++i) {
                messages.push_back(randomBytes(length, random()));
                wanted.push_back(byOpenSsl(messages.back()));
            }
            QCOMPARE(byLanes(*lanes, messages, 1 + random() % 9), wanted);
        }
    }

    void theBestIsSupportedAndFits() {
        for (std::size_t pieces = 1; pieces <= kMaxSha1Lanes; ++pieces) {
            const Sha1Lanes& best = bestSha1Lanes(pieces);
            QVERIFY(best.supported());
            QCOMPARE(&bestSha1Lanes(pieces), &best);
        }
        QVERIFY(hasManySha1Lanes() || bestSha1Lanes(kMaxSha1Lanes).lanes == 1);
    }
};

QTEST_GUILESS_MAIN(Sha1Test)
#include "tst_sha1.moc"
