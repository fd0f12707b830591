// A small lesson and results made by hand, for the tests of lessons.
#pragma once

#include <QByteArray>

#include "lesson/lesson_results.h"

namespace mmapscope::testing {

inline QByteArray lessonText() {
    return R"(---
id: small
title: A small lesson
minutes: 3
run: study --sample bytes:1MiB --workload touch --source read --source mmap --rounds 5
question: How many?
kind: choice
options:
  - name: few
    text: Few
    when: arm.mmap.minor_faults < 0.5 * study.pages
  - name: many
    text: Many
    when: otherwise
wrong:
  - when: few
    right: One fault can do more.
    not: It was {{arm.mmap.minor_faults}}.
  - when: many
    right: Each page is touched.
    not: Fewer faults were needed.
variations:
  - title: Cold
    run: study --sample bytes:1MiB --workload touch --source mmap --cache cold
    look: Now {{arm.mmap.major_faults}} major faults.
  - title: Larger
    run: study --sample bytes:2MiB --workload touch --source mmap
    look: Now {{study.bytes}}.
sources:
  - mmap(2)
---

What is asked.

{{run}}

There were {{arm.mmap.minor_faults}} faults, {{arm.mmap.ratio}} times.
)";
}

inline RunRecord run(std::uint32_t arm, std::uint64_t faults) {
    RunRecord run;
    run.arm = arm;
    run.status = RunStatus::ok;
    run.wall = Nanoseconds(2'000'000);
    run.setup = Nanoseconds(500'000);
    run.minorFaults = faults;
    return run;
}

/// read and mmap over 1 MiB in pages of 4 KiB; mmap with so many faults.
inline Study study(std::uint64_t faults) {
    Study study;
    study.plan.fileBytes = mib(1);
    study.plan.workload = "touch";
    study.plan.rounds = 2;
    study.environment.page = kib(4);
    study.environment.filesystem = "ext4";
    study.arms = {{"read", "read", {}, "touch", {}, 1}, {"mmap", "mmap", {}, "touch", {}, 1}};
    study.runs = {run(0, 1), run(0, 1), run(1, faults), run(1, faults)};
    ArmSummary read;
    read.verdict = Verdict::baseline;
    ArmSummary mmap;
    mmap.arm = 1;
    mmap.ratio = 1.25;
    mmap.ratioLow = 1.2;
    mmap.ratioHigh = 1.3;
    mmap.verdict = Verdict::faster;
    study.summary = {read, mmap};
    return study;
}

inline LessonResults results(std::uint64_t faults) {
    LessonResults results;
    results.measured.push_back({"", study(faults), {}, false});
    results.complete = true;
    return results;
}

}  // namespace mmapscope::testing
