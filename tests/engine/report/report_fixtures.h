// A study with a value in every field, each different, so that a field that got lost or swapped shows.
#pragma once

#include "engine/study/study_fixtures.h"
#include "study/study.h"

namespace mmapscope::fixtures {

inline Environment fullEnvironment() {
    Environment e;
    e.toolVersion = "0.1.0";
    e.kernel = "6.18.1-test";
    e.cpu = "A CPU, \"quoted\"";
    e.cores = 12;
    e.memory = gib(24);
    e.page = kib(16);
    e.thp = {"madvise", "defer", "advise"};
    e.hugePages = HugePagePool{mib(2), 160, 96, 3, 1};
    e.filesystem = "ext4";
    e.device = "/dev/vda";
    e.mountOptions = "rw,noatime";
    e.storage = StorageClass::nvme;
    e.governor = "performance";
    e.swappiness = 60;
    e.mglru = "0x0007";
    e.cgroupVersion = 2;
    e.readAhead = mib(8);
    e.libzstd = "1.5.4";
    e.openssl = "3.0.15";
    e.virtualMachine = "KVM";
    e.counters = {{"dtlb", false}, {"page_faults", true}};
    e.thp.sizes = {{kib(64), "inherit", std::nullopt}, {mib(2), "madvise", "never"}};
    return e;
}

inline RunRecord fullRun() {
    RunRecord r = goodRun(1, Phase::inspection, 0, 12.5);
    r.setup = Nanoseconds(11);
    r.cpu = Nanoseconds(12);
    r.user = Nanoseconds(13);
    r.system = Nanoseconds(14);
    r.bytesOut = Bytes(15);
    r.minorFaults = 16;
    r.majorFaults = 17;
    r.processMinorFaults = 18;
    r.processMajorFaults = 19;
    r.peakRss = Bytes(20);
    r.rssDeltaBytes = -21;
    r.peakPrivate = Bytes(22);
    r.peakHugetlb = Bytes(23);
    r.peakMappedCache = Bytes(24);
    r.heapAllocated = Bytes(25);
    r.voluntarySwitches = 26;
    r.involuntarySwitches = 27;
    r.storageRead = Bytes(28);
    r.outcome = Outcome{{{"rows", std::uint64_t{29}},
                         {"sums", Outcome{{{"price", std::string("-0.50")}, {"size", std::string("7")}}}},
                         {"first_time", std::string("x,y")}}};
    r.mapping = MappingFacts{true,       kib(4),
                             kib(64),    Bytes(31),
                             Bytes(32),  Bytes(33),
                             Bytes(34),  Bytes(35),
                             Bytes(331), Bytes(332),
                             Bytes(333), Bytes(334),
                             Bytes(335), *vmFlagOf("rd") | *vmFlagOf("hg")};
    FaultTrace& trace = r.faultTrace.emplace();
    trace = {{61, 62}, {4096, FaultTrace::kElsewhere}, {0, 1}, {0, 2}, 63, true};
    r.split = TimeSplit{Nanoseconds(64), Nanoseconds(65), Nanoseconds(66), Nanoseconds(67), Nanoseconds(-68),
                        Nanoseconds(69), Nanoseconds(70), Nanoseconds(71), Nanoseconds(72)};
    r.cache = {CacheState::warmSmall, true, "why", 0.25, 0.75, "4 KiB"};
    r.counters = {{"page_faults", 36}, {"machine_span_ns", 37}};
    r.sampling.period = Nanoseconds(38);
    r.sampling.costFraction = 0.0039;
    Sample sample;
    sample.tNs = 40;
    sample.bytesIn = 41;
    sample.rssAnon = 42;
    r.sampling.samples = {Sample{}, sample};
    r.stamps = {{1, 2}, {3, 4}, {5, 6}};
    r.warnings = {"a note", "another, with \"quotes\""};
    return r;
}

inline Study fullStudy() {
    Study study = measuredStudy({"read", "mmap"}, 6, [](std::uint32_t arm, unsigned round) {
        return (arm == 0 ? 200.0 : 100.0) + round;
    });
    study.environment = fullEnvironment();
    study.plan.limit = kib(512);
    study.plan.warmups = 3;
    study.plan.orderSeed = 0xfedcba9876543210U;
    study.plan.cache = CacheState::warmSmall;
    study.plan.isolation = Isolation::inProcess;
    study.plan.baseline = 1;
    study.arms[0].sourceParameters = {{"buffer", "64KiB"}};
    study.arms[0].workloadParameters = {{"schema", "time:time,price:decimal"}};
    study.arms[1].threads = 2;
    study.runs.insert(study.runs.begin(), fullRun());
    study.runs.push_back(badRun(0, Phase::measured, 7, ErrorKind::failed, "killed by signal 9 (SIGKILL)"));
    study.runs.push_back(badRun(1, Phase::measured, 7, ErrorKind::unavailable, "no pages"));
    summarize(study);
    study.attribution = {{0,
                          Nanoseconds(100),
                          {{"open", Nanoseconds(60), "clocked", {{"copy", Nanoseconds(50), "the rest", {}}}},
                           {"handover", Nanoseconds(-5), "", {}}},
                          Nanoseconds(45),
                          "read spends | its time"}};
    study.splitRuns = {
        {"read", {{"buffer", "64KiB"}}, 1, "scan", 2, Nanoseconds(90), 3, 4, *fullRun().split}};
    study.complete = true;
    return study;
}

}  // namespace mmapscope::fixtures
