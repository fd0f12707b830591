#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include "core/text.h"
#include "host/host.h"
#include "host/questions_json.h"
#include "host/ssh_connection.h"
#include "report/study_file.h"
#include "run/record_json.h"
#include "study/statistics.h"
#include "study/sweep_points.h"

namespace mmapscope {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kTick = 100ms;
/// Between a wish to stop and giving the other side up: a run ends within 50 ms, its record takes a moment.
constexpr auto kStopPatience = 15s;

class RemoteHost : public Host {
  public:
    RemoteHost(SshOptions options, std::vector<std::string> ssh)
        : options_(std::move(options)), ssh_(std::move(ssh)) {}

    std::string name() const override { return options_.host; }

    Result<FileAnswer> look(const FileQuestion& question, std::stop_token stop) override {
        return asked<FileAnswer>("look", toJson(question), stop);
    }
    Result<ArmsAnswer> ask(const ArmsQuestion& question, std::stop_token stop) override {
        auto answer = asked<ArmsAnswer>("arms", toJson(question), stop);
        if (answer && answer->arms.size() != question.arms.size()) {
            return fail(ErrorKind::failed, said("it answered for other arms than were asked about"));
        }
        return answer;
    }
    Result<ResidencyNow> residency(const std::string& path, std::stop_token stop) override {
        return asked<ResidencyNow>("residency", toJson(ResidencyQuestion{path}), stop);
    }
    Result<CacheFacts> prepare(const std::string& path, CacheState state, std::stop_token stop) override {
        return asked<CacheFacts>("prepare", toJson(PrepareQuestion{path, state}), stop);
    }
    Result<std::string> report(const ReportQuestion& question, std::stop_token stop) override {
        return answerTo("report", toJson(question), stop);
    }
    Result<Measured> measure(const StudyOrder& order, const std::function<void(const Study&)>& planned,
                             const StudyEvents& events, std::stop_token stop) override;

  private:
    class Measuring;

    [[nodiscard]] std::string said(std::string_view what) const {
        return fmt::format("{}: {}", printable(options_.host), what);
    }

    /// Sends a request and hands over every frame that follows, until `take` says that it was the last. An
    /// old connection that turns out to be gone is made anew. Error: `take`'s; how it was lost; cancelled,
    /// once the other side couldn't be brought to stop.
    Status exchange(const std::string& ask, Json what, const Study* before, const std::stop_token& stop,
                    const std::function<Result<bool>(const Frame&)>& take) {
        std::unique_lock lock(mutex_, std::defer_lock);
        while (!lock.try_lock_for(kTick)) {
            if (stop.stop_requested()) {
                return cancelled();
            }
        }
        Json request = Json::object();
        request["ask"] = ask;
        request["what"] = std::move(what);
        const std::string text = dumpJson(request);
        for (;;) {
            const bool old = connection_ != nullptr;
            if (!old) {
                auto made = SshConnection::open(options_, ssh_, stop);
                if (!made) {
                    return tl::unexpected(made.error());
                }
                connection_ = std::move(*made);
            }
            bool heard = false;
            // One that can't be written to says itself why, by what comes next.
            if (before == nullptr || connection_->send(FrameType::planned, studyToJson(*before))) {
                static_cast<void>(connection_->send(FrameType::request, text));
            }
            const Status status = listen(stop, take, heard);
            if (status) {
                return status;
            }
            connection_->drop();
            connection_.reset();
            if (!old || heard || stop.stop_requested()) {
                return status;
            }
        }
    }

    Status listen(const std::stop_token& stop, const std::function<Result<bool>(const Frame&)>& take,
                  bool& heard) {
        std::optional<Clock::time_point> until;
        for (;;) {
            const auto frame = connection_->next(kTick);
            if (!frame) {
                return tl::unexpected(frame.error());
            }
            if (*frame) {
                heard = true;
                const auto last = take(**frame);
                if (!last) {
                    return tl::unexpected(last.error());
                }
                if (*last) {
                    return {};
                }
            }
            if (stop.stop_requested() && !until) {
                until = Clock::now() + kStopPatience;
                static_cast<void>(connection_->send(FrameType::stop, {}));
            }
            if (until && Clock::now() > *until) {
                return cancelled();
            }
        }
    }

    Error refusalOf(const Frame& frame) const {
        const auto json = parseJson(frame.payload);
        auto error = json ? fromJson<Error>(*json) : tl::unexpected(json.error());
        if (!error) {
            return {ErrorKind::failed, said("what it said can't be read")};
        }
        return {error->kind, said(printable(error->message))};
    }

    Result<std::string> answerTo(const std::string& ask, Json what, const std::stop_token& stop) {
        Result<std::string> answer = cancelled();
        const Status status =
            exchange(ask, std::move(what), nullptr, stop, [&](const Frame& frame) -> Result<bool> {
                if (frame.type == FrameType::answer) {
                    answer = frame.payload;
                } else if (frame.type == FrameType::refusal) {
                    answer = tl::unexpected(refusalOf(frame));
                } else {
                    return fail(ErrorKind::failed, said("it said what it never should"));
                }
                return true;
            });
        return status ? answer : tl::unexpected(status.error());
    }

    template <class Answer>
    Result<Answer> asked(const std::string& ask, Json what, const std::stop_token& stop) {
        const auto text = answerTo(ask, std::move(what), stop);
        if (!text) {
            return tl::unexpected(text.error());
        }
        const auto json = parseJson(*text);
        auto answer = json ? fromJson<Answer>(*json) : tl::unexpected(json.error());
        if (!answer) {
            return fail(ErrorKind::failed, said(answer.error().message));
        }
        return answer;
    }

    const SshOptions options_;
    const std::vector<std::string> ssh_;
    std::timed_mutex mutex_;
    std::unique_ptr<SshConnection> connection_;  ///< guarded by mutex_
};

/// A study as it comes in, frame by frame.
class RemoteHost::Measuring {
  public:
    Measuring(RemoteHost& host, const StudyOrder& order, const std::function<void(const Study&)>& planned,
              const StudyEvents& events)
        : host_(host), onPlanned_(planned), events_(events) {
        if (order.resumed != nullptr) {
            before_ = *order.resumed;
            dropUnfinished(before_);
        }
    }

    Result<bool> take(const Frame& frame) {
        switch (frame.type) {
            case FrameType::planned:
                return plan(frame.payload);
            case FrameType::progress:
                return progress(frame.payload);
            case FrameType::record:
                return record(frame.payload);
            case FrameType::done: {
                const auto last = plan(frame.payload);
                return last ? Result<bool>(true) : last;
            }
            case FrameType::refusal:
                refused_ = host_.refusalOf(frame);
                return true;
            default:
                return wrong("it said what it never should");
        }
    }

    Result<Measured> result(const Status& status, bool stopped) {
        if (refused_ && !planned_) {
            return tl::unexpected(*refused_);
        }
        if (status && !refused_) {
            return Measured{std::move(study_), {}};
        }
        const Error error = refused_ ? *refused_ : status.error();
        if (!planned_) {
            return tl::unexpected(error);
        }
        summarize(study_);
        std::string lost;
        if (!stopped) {
            const std::size_t runs = study_.runs.size();
            lost = fmt::format("{} was lost after {} run{} ({}); what was measured until then is kept",
                               printable(host_.name()), runs, runs == 1 ? "" : "s", error.message);
            study_.warnings.push_back(lost);
        }
        return Measured{std::move(study_), std::move(lost)};
    }

    [[nodiscard]] const Study& before() const { return before_; }

  private:
    tl::unexpected<Error> wrong(std::string_view what) const {
        return fail(ErrorKind::failed, std::string(what));
    }

    /// As planned first; then when it knows its rounds, when they are done, and at the end.
    Result<bool> plan(const std::string& payload) {
        auto read = studyFromJson(payload);
        if (!read) {
            return tl::unexpected(read.error());
        }
        if (planned_ && read->arms.size() != study_.arms.size()) {
            return wrong("it told of another study");
        }
        read->runs = std::move(planned_ ? study_.runs : before_.runs);
        read->plan.host = host_.name();
        study_ = std::move(*read);
        if (!planned_) {
            planned_ = true;
            if (onPlanned_) {
                onPlanned_(study_);
            }
        } else if (study_.complete && events_.roundsDone) {
            events_.roundsDone(study_);
        }
        return false;
    }

    Result<bool> progress(const std::string& payload) {
        const auto json = parseJson(payload);
        const auto read = json ? fromJson<Progress>(*json) : tl::unexpected(json.error());
        if (!read || !planned_ || read->arm >= study_.arms.size()) {
            return wrong("it told of a progress that can't be");
        }
        if (events_.progress) {
            events_.progress(*read);
        }
        return false;
    }

    Result<bool> record(const std::string& payload) {
        auto run = runRecordFromText(payload, "its record");
        if (!run) {
            return tl::unexpected(run.error());
        }
        if (!planned_ || run->arm >= study_.arms.size()) {
            return wrong("it sent a record of no arm");
        }
        const bool nextPoint = study_.sweep && !study_.runs.empty() && study_.runs.back().limit != run->limit;
        study_.runs.push_back(std::move(*run));
        summarize(study_);
        if (nextPoint) {
            study_.crossovers = findCrossovers(study_);
        }
        const RunRecord& last = study_.runs.back();
        if (events_.samples && !last.sampling.samples.empty()) {
            const std::vector<Sample> samples(last.sampling.samples.begin(), last.sampling.samples.end());
            events_.samples(last.arm, samples);
        }
        if (events_.runEnded) {
            events_.runEnded(study_);
        }
        // One that can't be written to says itself why, by what comes next.
        static_cast<void>(host_.connection_->send(FrameType::taken, {}));
        return false;
    }

    RemoteHost& host_;
    const std::function<void(const Study&)>& onPlanned_;
    const StudyEvents& events_;
    Study before_;  ///< a sweep to go on with
    Study study_;
    std::optional<Error> refused_;
    bool planned_ = false;
};

Result<Measured> RemoteHost::measure(const StudyOrder& order,
                                     const std::function<void(const Study&)>& planned,
                                     const StudyEvents& events, std::stop_token stop) {
    Measuring measuring(*this, order, planned, events);
    const Status status = exchange("measure", toJson(order),
                                   order.kind == OrderKind::resumedSweep ? &measuring.before() : nullptr,
                                   stop, [&](const Frame& frame) { return measuring.take(frame); });
    return measuring.result(status, stop.stop_requested());
}

}  // namespace

Result<std::vector<std::string>> splitWords(std::string_view text) {
    std::vector<std::string> words;
    std::optional<std::string> word;
    char quote = '\0';
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
            word = word.value_or("") + text[++i];
        } else if (quote != '\0') {
            quote == c ? void(quote = '\0') : void(*word += c);
        } else if (c == '\'' || c == '"') {
            quote = c;
            word = word.value_or("");
        } else if (c == ' ' || c == '\t' || c == '\n') {
            if (word) {
                words.push_back(*std::exchange(word, std::nullopt));
            }
        } else {
            word = word.value_or("") + c;
        }
    }
    if (quote != '\0') {
        return fail(ErrorKind::usage,
                    fmt::format("the ssh command `{}` has a {} that isn't closed", printable(text), quote));
    }
    if (word) {
        words.push_back(*word);
    }
    return words;
}

Result<std::unique_ptr<Host>> hostOverSsh(SshOptions options) {
    const auto isBad = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; };
    if (options.host.empty() || options.host.front() == '-' ||
        std::any_of(options.host.begin(), options.host.end(), isBad)) {
        return fail(ErrorKind::usage, fmt::format("\"{}\" is no host: give one as ssh takes it, such as "
                                                  "user@server",
                                                  printable(options.host)));
    }
    if (options.program.empty() || options.program.find('\0') != std::string::npos) {
        return fail(ErrorKind::usage, "the worker on the other machine needs a name");
    }
    const char* const usual = std::getenv("MMAPSCOPE_SSH");
    const std::string command = !options.ssh.empty() ? options.ssh : usual == nullptr ? "" : usual;
    auto words = splitWords(command);
    if (!words) {
        return tl::unexpected(words.error());
    }
    if (words->empty()) {
        words->emplace_back("ssh");
    }
    return std::make_unique<RemoteHost>(std::move(options), std::move(*words));
}

}  // namespace mmapscope
