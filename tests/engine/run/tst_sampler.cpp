#include <fcntl.h>
#include <sys/mman.h>

#include <QtTest>
#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>

#include "core/unique_fd.h"
#include "run/sampler.h"
#include "source/guarded_mapping.h"

// Every allocation of C++ in this program while `counting` is on: the sampler's thread makes none.
namespace {
std::atomic<bool> counting{false};
std::atomic<std::uint64_t> allocations{0};
}  // namespace

void* operator new(std::size_t size) {
    if (counting.load(std::memory_order_relaxed)) {
        allocations.fetch_add(1, std::memory_order_relaxed);
    }
    if (void* memory = std::malloc(size == 0 ? 1 : size)) {
        return memory;
    }
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

using namespace mmapscope;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

/// An arm of one thread that delivers 1 MiB a millisecond.
class FakeArm {
  public:
    FakeArm() : accounts_(std::make_unique<Accounts>(std::stop_token())) {}
    Accounts& accounts() { return *accounts_; }
    void work(std::chrono::milliseconds howLong) {
        std::thread([this, howLong] {
            ThreadAccount account(*accounts_);
            const auto end = Clock::now() + howLong;
            while (Clock::now() < end) {
                account.counters().bytesIn.fetch_add(1U << 20U, std::memory_order_relaxed);
                account.publish();
                std::this_thread::sleep_for(1ms);
            }
        }).join();
    }

  private:
    std::unique_ptr<Accounts> accounts_;
};

bool monotone(const SampleSeries& samples) {
    for (std::size_t i = 1; i < samples.size(); ++i) {
        if (samples[i].tNs < samples[i - 1].tNs || samples[i].bytesIn < samples[i - 1].bytesIn ||
            samples[i].minorFaults < samples[i - 1].minorFaults) {
            return false;
        }
    }
    return true;
}

}  // namespace

class TestSampler : public QObject {
    Q_OBJECT
  private slots:
    void shortRunHasItsTwoEnds() {
        FakeArm arm;
        Sampler sampler(arm.accounts(), nullptr, {});
        sampler.start();
        arm.work(1ms);
        const Sampling sampling = sampler.stop();
        QVERIFY(sampling.samples.size() >= 2);
        QCOMPARE(sampling.samples.front().tNs, 0);
        QCOMPARE(sampling.samples.front().bytesIn, quint64{0});
        QCOMPARE(sampling.samples.back().bytesIn, quint64{arm.accounts().totals().bytesIn});
        QVERIFY(sampling.samples.back().bytesIn > 0);
    }
    void samplesAreMonotoneAndEndAtTheTotals() {
        FakeArm arm;
        SampleRing ring;
        Sampler sampler(arm.accounts(), &ring, {});
        sampler.start();
        arm.work(300ms);
        const Sampling sampling = sampler.stop();
        const auto totals = arm.accounts().totals();
        QVERIFY(sampling.samples.size() >= 5);
        QVERIFY(monotone(sampling.samples));
        QCOMPARE(sampling.samples.back().bytesIn, quint64{totals.bytesIn});
        QCOMPARE(sampling.samples.back().minorFaults, quint64{totals.minorFaults});
        QVERIFY(sampling.samples.back().rssAnon != kNotAvailable);
        QVERIFY(sampling.samples.back().rssAnon > 0);
        QVERIFY(sampling.samples.back().pageTables > 0);
        QVERIFY(sampling.period >= 10ms);
        QVERIFY(sampling.costFraction > 0);
        // The window sees the same ones.
        std::vector<Sample> live(1024);
        live.resize(ring.pop(live));
        QCOMPARE(live.size(), sampling.samples.size());
        QCOMPARE(live.back().tNs, sampling.samples.back().tNs);
    }
    void cheapLooksStayWithinTheirShare() {
        FakeArm arm;
        SamplerOptions options;
        options.period = 1ms;  // ten times as often as normal
        options.dearProbes = false;
        Sampler sampler(arm.accounts(), nullptr, options);
        sampler.start();
        arm.work(1500ms);
        const Sampling sampling = sampler.stop();
        // The budget of 1 %, and half as much again for what a busy machine adds.
        QVERIFY2(sampling.costFraction < 0.015, std::to_string(sampling.costFraction).c_str());
        qInfo("cost %.3f %% at a period of %lld us, %zu samples", sampling.costFraction * 100,
              static_cast<long long>(sampling.period.count() / 1000), sampling.samples.size());
    }
    void allocatesNothingWhileItWatches() {
        FakeArm arm;
        SampleRing ring;
        auto mapping = GuardedMapping::map(MappingKind::anonymous, mib(4), PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS, -1);
        QVERIFY(mapping.has_value());
        SamplerOptions options;
        options.period = 1ms;
        options.budget = 1.0;   // dear looks every time
        options.capacity = 16;  // decimation too
        Sampler sampler(arm.accounts(), &ring, options);
        allocations = 0;
        counting = true;
        sampler.start();
        std::this_thread::sleep_for(200ms);
        counting = false;
        const Sampling sampling = sampler.stop();
        QCOMPARE(allocations.load(), quint64{0});
        QVERIFY(sampling.samples.size() > 8);
    }
    void dearFactsComeFromTheArmsMappings() {
        FakeArm arm;
        auto mapping = GuardedMapping::map(MappingKind::anonymous, mib(8), PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS, -1);
        QVERIFY(mapping.has_value());
        (void)mapping->advise(Bytes(0), mib(8), MADV_HUGEPAGE);
        std::memset(mapping->data(), 1, mib(8).size());
        SamplerOptions options;
        options.budget = 1.0;
        Sampler sampler(arm.accounts(), nullptr, options);
        sampler.start();
        arm.work(100ms);
        const Sampling sampling = sampler.stop();
        const Sample last = sampling.samples.back();
        QVERIFY(last.anonHuge != kNotAvailable);
        QVERIFY(last.thpEligible <= 1 || last.thpEligible == kNotAvailable);
        QCOMPARE(last.filePmdMapped, quint64{0});
        QCOMPARE(sampling.samples.front().anonHuge, quint64{kNotAvailable});  // not looked at yet
    }
    void dearFactsAreLeftOutWhenNotWantedOrTooDear() {
        FakeArm arm;
        auto mapping = GuardedMapping::map(MappingKind::anonymous, mib(8), PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS, -1);
        SamplerOptions off;
        off.budget = 1.0;
        off.dearProbes = false;
        SamplerOptions poor;
        poor.budget = 0.0001;  // 10 us in 100 ms: smaps costs more
        for (const SamplerOptions& options : {off, poor}) {
            Sampler sampler(arm.accounts(), nullptr, options);
            sampler.start();
            arm.work(60ms);
            QCOMPARE(sampler.stop().samples.back().anonHuge, quint64{kNotAvailable});
        }
    }
    void longRunIsThinnedEvenly() {
        FakeArm arm;
        SamplerOptions options;
        options.period = 1ms;
        options.budget = 1.0;
        options.capacity = 16;
        options.dearProbes = false;
        Sampler sampler(arm.accounts(), nullptr, options);
        sampler.start();
        arm.work(400ms);
        const Sampling sampling = sampler.stop();
        QVERIFY(sampling.samples.size() >= 8);
        QVERIFY(sampling.samples.size() <= 17);
        QVERIFY(sampling.period >= 8ms);  // 1 ms doubled at least three times
        QVERIFY(monotone(sampling.samples));
        QCOMPARE(sampling.samples.front().tNs, 0);
        QCOMPARE(sampling.samples.back().bytesIn, quint64{arm.accounts().totals().bytesIn});
        // Over the whole run, not its beginning or end alone.
        const auto length = sampling.samples.back().tNs;
        const auto middle =
            std::count_if(sampling.samples.begin(), sampling.samples.end(),
                          [length](const Sample& s) { return s.tNs > length / 4 && s.tNs < length * 3 / 4; });
        QVERIFY(middle >= 2);
    }
    void zeroIsTheRunsClock() {
        FakeArm arm;
        std::atomic<Clock::rep> clockStart{0};
        SamplerOptions options;
        options.clockStart = &clockStart;
        Sampler sampler(arm.accounts(), nullptr, options);
        sampler.start();
        std::this_thread::sleep_for(60ms);  // the clock doesn't run: nothing but the zero sample
        const auto start = Clock::now();
        clockStart = start.time_since_epoch().count();
        arm.work(50ms);
        const Nanoseconds wall = Clock::now() - start;
        std::this_thread::sleep_for(40ms);
        const Sampling sampling = sampler.stop(wall);
        QCOMPARE(sampling.samples.back().tNs, wall.count());
        QVERIFY(monotone(sampling.samples));
        QCOMPARE(std::count_if(sampling.samples.begin(), sampling.samples.end(),
                               [](const Sample& s) { return s.tNs == 0; }),
                 1);
    }
    void stopsAtOnce() {
        FakeArm arm;
        SamplerOptions options;
        options.period = 10s;
        Nanoseconds best = 1s;
        for (int i = 0; i < 10; ++i) {
            Sampler sampler(arm.accounts(), nullptr, options);
            sampler.start();
            std::this_thread::sleep_for(2ms);
            const auto before = Clock::now();
            (void)sampler.stop();
            best = std::min<Nanoseconds>(best, Clock::now() - before);
        }
        QVERIFY(best < 2ms);
    }
    void neverStartedEndsToo() {
        FakeArm arm;
        const Sampler sampler(arm.accounts(), nullptr, {});
    }
};

QTEST_GUILESS_MAIN(TestSampler)
#include "tst_sampler.moc"
