// Mutates studies, as text and as JSON, plain and compressed, and reads, summarizes and reports what comes of
// it. It fails by crashing, hanging, or by a study that doesn't come back as it was written.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "engine/report/report_fixtures.h"
#include "report/comparison.h"
#include "report/formats.h"
#include "report/study_file.h"
#include "report/study_text.h"
#include "run/json_reader.h"
#include "study/random.h"
#include "study/sweep_points.h"

using namespace mmapscope;

namespace {

constexpr double kSlowest = 20;  // seconds for one input: a hang

class Fuzz {
  public:
    explicit Fuzz(std::uint64_t seed) : random_(seed) {
        Study plain = fixtures::fullStudy();
        for (RunRecord& run : plain.runs) {
            for (std::int64_t i = 0; i < 40; ++i) {
                Sample sample;
                sample.tNs = i * 1'000'000;
                sample.bytesIn = sample.rssFile = static_cast<std::uint64_t>(i) << 20U;
                run.sampling.samples.push_back(sample);
            }
        }
        texts_.push_back(studyToJson(plain));
        Study sweep = fixtures::fullStudy();
        sweep.sweep.emplace();
        sweep.sweep->sizes = {mib(1), mib(2)};
        for (RunRecord& run : sweep.runs) {
            run.limit = mib(1 + run.round % 2);
        }
        summarize(sweep);
        texts_.push_back(studyToJson(sweep));
        path_ = std::filesystem::temp_directory_path() / fmt::format("mmapscope-fuzz-{}", ::getpid());
    }
    ~Fuzz() { std::filesystem::remove(path_, ignored_); }

    /// What is wrong; empty: nothing.
    std::string one() {
        std::string text = texts_[random_.next() % texts_.size()];
        switch (random_.next() % 8) {
            case 0:
            case 1:
                mutateBytes(text);
                break;
            default:
                mutateJson(text);
                break;
            case 7:
                mutateJson(text);
                mutateBytes(text);
        }
        if (random_.next() % 4 == 0) {
            return throughFile(text);
        }
        return tryText(text);
    }
    [[nodiscard]] std::uint64_t accepted() const { return accepted_; }

  private:
    std::size_t below(std::size_t count) { return count == 0 ? 0 : random_.next() % count; }

    void mutateBytes(std::string& text) {
        static constexpr std::string_view kPieces[] = {"null",
                                                       "-1",
                                                       "1e999",
                                                       "NaN",
                                                       "18446744073709551616",
                                                       "[",
                                                       "]",
                                                       "{",
                                                       "}",
                                                       ",",
                                                       "\"",
                                                       "\\",
                                                       "0.5",
                                                       "true",
                                                       "\"samples\":{",
                                                       "\xff",
                                                       std::string_view("\0", 1),
                                                       "9223372036854775807",
                                                       "[[[[[[[["};
        for (std::size_t times = 1 + below(4); times > 0 && !text.empty(); --times) {
            const std::size_t at = below(text.size());
            switch (below(5)) {
                case 0:
                    text[at] = static_cast<char>(random_.next());
                    break;
                case 1:
                    text.resize(at);
                    break;
                case 2:
                    text.erase(at, 1 + below(40));
                    break;
                case 3:
                    text.insert(at, text.substr(below(text.size()), below(200)));
                    break;
                default:
                    text.insert(at, kPieces[below(std::size(kPieces))]);
            }
        }
    }

    void mutateJson(std::string& text) {
        auto json = parseJson(text);
        if (!json) {
            return;
        }
        for (std::size_t times = 1 + below(2); times > 0; --times) {
            Json* at = &*json;
            for (std::size_t depth = below(8) == 0 ? 1 + below(4) : 16;
                 depth > 0 && at->is_structured() && !at->empty(); --depth) {
                auto next = at->begin();
                std::advance(next, below(at->size()));
                at = &*next;
            }
            // Of its own type mostly: what is refused at once finds nothing behind the reader.
            const bool same = below(8) != 0;
            *at = same && at->is_number()   ? number(*at)
                  : same && at->is_string() ? Json(at->get<std::string>() + "\x1b[31m\n|,\"")
                  : same && at->is_array()  ? Json::array()
                                            : value();
        }
        text = dumpJson(*json);
    }

    Json number(const Json& before) {
        const auto wide = std::uint64_t{1} << below(64);
        switch (below(6)) {
            case 0:
                return std::uint64_t{0};
            case 1:
                return before.is_number_integer() && below(4) == 0 ? Json(-before.get<std::int64_t>())
                                                                   : before;
            case 2:
                return before.is_number_float() ? Json(1.0 / static_cast<double>(wide)) : Json(below(4));
            case 3:
                return wide;
            case 4:
                return wide - 1;
            default:
                return INT64_MAX;
        }
    }

    Json value() {
        switch (below(12)) {
            case 0:
                return nullptr;
            case 1:
                return true;
            case 2:
                return -1;
            case 3:
                return std::uint64_t{0};
            case 4:
                return UINT64_MAX;
            case 5:
                return INT64_MAX;
            case 6:
                return 1e308;
            case 7:
                return "x\x1b[31m\n";
            case 8:
                return Json::array();
            case 9:
                return Json::object();
            case 10:
                return Json::array({1, nullptr, "a", -5, 1e300});
            default:
                return std::uint64_t{1} << below(64);
        }
    }

    std::string throughFile(const std::string& text) {
        auto bytes = compressed(text);
        if (!bytes) {
            return "can't be compressed";
        }
        const bool damaged = below(2) == 0;
        if (damaged) {
            mutateBytes(*bytes);
        }
        std::ofstream(path_, std::ios::binary | std::ios::trunc) << *bytes;
        const auto study = loadStudy(path_.string());
        if (!damaged) {
            // A file's text is given back while it is read, and nothing may be lost by that.
            const auto same = studyFromJson(text);
            if (same.has_value() != study.has_value() ||
                (study && studyToJson(*study) != studyToJson(*same))) {
                return "a file and its text are read differently";
            }
        }
        (void)beginsAsStudy(*bytes);
        return study ? use(*study) : std::string();
    }

    std::string tryText(const std::string& text) {
        const auto study = studyFromJson(text);
        if (study) {
            return use(*study);
        }
        return study.error().message.find('\n') == std::string::npos && study.error().message.size() < 2000
                   ? std::string()
                   : "an error of more than a line: " + study.error().message;
    }

    std::string use(const Study& study) {
        ++accepted_;
        const std::string written = studyToJson(study);
        const auto again = studyFromJson(written);
        if (!again) {
            return "what was written can't be read: " + again.error().message;
        }
        if (studyToJson(*again) != written) {
            return "what was written and read is written differently";
        }
        Study summed = study;
        summarize(summed);
        for (const ReportFormatFacts& format : reportFormats()) {
            if (format.write != nullptr) {
                (void)format.write(summed);
            }
        }
        const auto shared = std::make_shared<const Study>(std::move(summed));
        const std::vector<NamedStudy> both{{"a", shared}, {"b", std::make_shared<const Study>(*again)}};
        if (const auto compared = compareStudies(both)) {
            (void)comparisonToText(*compared);
            (void)comparisonToJson(*compared);
            (void)comparisonToCsv(*compared);
        }
        return {};
    }

    SplitMix64 random_;
    std::vector<std::string> texts_;
    std::filesystem::path path_;
    std::error_code ignored_;
    std::uint64_t accepted_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    const double seconds = argc > 1 ? std::atof(argv[1]) : 5;
    const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const auto since = [](Clock::time_point then) {
        return std::chrono::duration<double>(Clock::now() - then).count();
    };
    std::uint64_t count = 0, accepted = 0;
    double slowest = 0;
    // A seed for each input, so that one that fails is made again by `fuzz 0 SEED`.
    do {
        Fuzz fuzz(seed + count);
        const auto began = Clock::now();
        const std::string wrong = fuzz.one();
        slowest = std::max(slowest, since(began));
        if (!wrong.empty() || slowest > kSlowest) {
            fmt::print(stderr, "seed {}: {}\n", seed + count, wrong.empty() ? "it hangs" : wrong);
            return 1;
        }
        accepted += fuzz.accepted();
        ++count;
    } while (since(start) < seconds);
    fmt::print("{} inputs, {} of them read as studies; the slowest took {:.2f} s\n", count, accepted,
               slowest);
    return accepted > 0 || count < 100 ? 0 : 1;
}
