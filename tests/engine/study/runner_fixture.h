// What tests of runStudyWith share: a small file, a request for three arms over it.
#pragma once

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "engine/study/study_fixtures.h"
#include "source/source.h"
#include "workload/workload.h"

namespace mmapscope::fixtures {

class RunnerFixture {
  protected:
    /// 6 rounds of read, pread and mmap over 100 kB, seed 5.
    void reset() {
        QFile file(folder_.filePath("bytes"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(100'000, 'x'));
        file.close();
        request_ = {};
        request_.file = file.fileName().toStdString();
        request_.workload = "scan";
        request_.isolation = Isolation::inProcess;
        request_.orderSeed = 5;
        request_.rounds = 6;
        arms({"read", "pread", "mmap"});
    }

    Study run(FakeWorld& world, const StudyEvents& events = {}, std::stop_token stop = {}) {
        auto planned = planStudy(request_);
        if (!planned) {
            qFatal("%s", planned.error().message.c_str());
        }
        return runStudyWith(world.backend(), *planned, request_, events, std::move(stop));
    }

    void arms(const std::vector<std::string>& sources) {
        request_.arms.clear();
        for (const auto& source : sources) {
            request_.arms.push_back({source, *parseParameters(findSource(source)->parameters, ""), 1});
        }
    }

    static std::size_t countOf(const Study& study, std::uint32_t arm, Phase phase) {
        return std::size_t(std::count_if(study.runs.begin(), study.runs.end(), [&](const RunRecord& r) {
            return r.arm == arm && r.phase == phase;
        }));
    }

    QTemporaryDir folder_;
    StudyRequest request_;
};

}  // namespace mmapscope::fixtures
