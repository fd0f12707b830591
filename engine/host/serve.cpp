#include "host/serve.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>

#include "core/text.h"
#include "host/host.h"
#include "host/inbox.h"
#include "host/questions_json.h"
#include "host/ssh_connection.h"
#include "report/study_file.h"
#include "run/frames.h"
#include "run/record_json.h"

namespace mmapscope {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// What is told while a run works costs its CPU.
constexpr auto kProgressPeriod = 1s;
/// A connection that takes nothing for so long is gone, although nobody said so.
constexpr auto kPatience = 60s;
/// Nobody asks anything: whoever did connects again.
constexpr auto kIdle = 5min;

std::string ownName() {
    utsname system{};
    uname(&system);
    return system.nodename;
}

/// Writing that gives up.
class Outbox {
  public:
    explicit Outbox(int out) : out_(out) { ::fcntl(out, F_SETFL, ::fcntl(out, F_GETFL) | O_NONBLOCK); }

    /// false, from then on: nobody takes it.
    bool raw(std::string_view bytes) {
        auto until = Clock::now() + kPatience;
        while (!bytes.empty() && !gone_) {
            const ssize_t n = ::write(out_, bytes.data(), bytes.size());
            if (n > 0) {
                bytes.remove_prefix(static_cast<std::size_t>(n));
                until = Clock::now() + kPatience;
            } else if (n < 0 && errno != EINTR) {
                const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
                pollfd ready{out_, POLLOUT, 0};
                gone_ = errno != EAGAIN || left.count() <= 0 ||
                        ::poll(&ready, 1, static_cast<int>(left.count())) <= 0;
            }
        }
        return !gone_;
    }
    bool say(FrameType type, std::string_view payload) {
        if (payload.size() > mostPayload(type)) {
            const Error error{ErrorKind::failed, fmt::format("a {} of {} is too long to be sent", name(type),
                                                             formatBytes(Bytes(payload.size())))};
            return say(FrameType::refusal, dumpJson(toJson(error)));
        }
        return raw(encodeFrame(type, payload));
    }
    bool refuse(const Error& error) {
        Error sent = error;
        sent.message.resize(std::min<std::size_t>(sent.message.size(), 4096));
        return say(FrameType::refusal, dumpJson(toJson(sent)));
    }

  private:
    const int out_;
    bool gone_ = false;
};

class Server {
  public:
    Server(int in, int out, const std::string& workerProgram)
        : inbox_(in), outbox_(out), here_(thisHost(workerProgram)) {}

    void serve() {
        outbox_.raw(fmt::format("\n{}", kServeMark));
        bool goes = outbox_.say(FrameType::hello, encodeHello(ownHello()));
        while (goes) {
            auto request = inbox_.await(kIdle);
            if (!request) {
                return;
            }
            goes = take(*request);
        }
    }

  private:
    bool take(Inbox::Request& request) {
        if (request.frame.type == FrameType::planned) {
            auto study = studyFromJson(request.frame.payload);
            if (!study) {
                return outbox_.refuse(study.error());
            }
            resumed_ = std::make_shared<Study>(std::move(*study));
            return true;
        }
        const auto json = parseJson(request.frame.payload);
        if (!json) {
            return outbox_.refuse(json.error());
        }
        std::string asked;
        JsonReader reader(*json, "request");
        reader.required("ask", asked);
        const Json* what = reader.object("what");
        if (what == nullptr) {
            return outbox_.refuse({ErrorKind::failed, "a request without a question"});
        }
        const std::stop_token stop = request.stop.get_token();
        if (asked == "look") {
            return answer<FileQuestion>(*what, [&](const auto& q) { return here_->look(q, stop); });
        }
        if (asked == "arms") {
            return answer<ArmsQuestion>(*what, [&](const auto& q) { return here_->ask(q, stop); });
        }
        if (asked == "residency") {
            return answer<ResidencyQuestion>(*what,
                                             [&](const auto& q) { return here_->residency(q.path, stop); });
        }
        if (asked == "prepare") {
            return answer<PrepareQuestion>(
                *what, [&](const auto& q) { return here_->prepare(q.path, q.state, stop); });
        }
        if (asked == "report") {
            return answer<ReportQuestion>(*what, [&](const auto& q) { return here_->report(q, stop); });
        }
        if (asked == "measure") {
            auto order = fromJson<StudyOrder>(*what);
            return order ? measure(*order, request) : outbox_.refuse(order.error());
        }
        return outbox_.refuse(
            {ErrorKind::failed, fmt::format("this version can't be asked \"{}\"", printable(asked))});
    }

    template <class Question, class Ask>
    bool answer(const Json& what, const Ask& ask) {
        const auto question = fromJson<Question>(what);
        if (!question) {
            return outbox_.refuse(question.error());
        }
        const auto result = ask(*question);
        if (!result) {
            return outbox_.refuse(result.error());
        }
        if constexpr (std::is_convertible_v<decltype(*result), std::string_view>) {
            return outbox_.say(FrameType::answer, *result);
        } else {
            return outbox_.say(FrameType::answer, dumpJson(toJson(*result)));
        }
    }

    bool measure(StudyOrder& order, Inbox::Request& request) {
        order.resumed = std::exchange(resumed_, nullptr);
        if (order.kind == OrderKind::resumedSweep && order.resumed == nullptr) {
            return outbox_.refuse({ErrorKind::failed, "a sweep to go on with didn't come"});
        }
        sent_ = 0;
        StudyEvents events;
        events.progress = [this](const Progress& progress) { tell(progress); };
        events.runEnded = [&](const Study& now) {
            if (now.plan.rounds != roundsTold_) {
                tellPlan(now);
            }
            if (!tellRuns(now)) {
                request.stop.request_stop();
            }
        };
        events.roundsDone = [this](const Study& now) { tellPlan(now); };
        const auto planned = [this](const Study& plan) {
            sent_ = plan.runs.size();
            tellPlan(plan);
        };
        auto measured = here_->measure(order, planned, events, request.stop.get_token());
        if (!measured) {
            return outbox_.refuse(measured.error());
        }
        return tellRuns(measured->study) && tellPlan(measured->study, FrameType::done);
    }

    bool tellPlan(const Study& study, FrameType as = FrameType::planned) {
        roundsTold_ = study.plan.rounds;
        return outbox_.say(as, bareStudyToText(study, ownName()));
    }

    /// Those that weren't sent yet; each is there before the next is sent, or anything measured.
    bool tellRuns(const Study& study) {
        for (; sent_ < study.runs.size(); ++sent_) {
            const std::uint64_t before = inbox_.taken();
            if (!outbox_.say(FrameType::record, runRecordToText(study.runs[sent_])) ||
                !inbox_.awaitTaken(before, kPatience)) {
                return false;
            }
        }
        return true;
    }

    void tell(const Progress& progress) {
        const auto now = Clock::now();
        const bool sameRun = progress.stage == told_.stage && progress.phase == told_.phase &&
                             progress.arm == told_.arm && progress.round == told_.round;
        // Of a run that works, nothing but trouble is news.
        if (now < nextProgress_ ||
            (sameRun && progress.stage == StudyStage::running && progress.remark == told_.remark)) {
            return;
        }
        nextProgress_ = now + kProgressPeriod;
        told_ = progress;
        outbox_.say(FrameType::progress, dumpJson(toJson(progress)));
    }

    Inbox inbox_;
    Outbox outbox_;
    const std::unique_ptr<Host> here_;
    std::shared_ptr<const Study> resumed_;
    std::size_t sent_ = 0;  ///< runs
    unsigned roundsTold_ = 0;
    Progress told_;
    Clock::time_point nextProgress_;
};

}  // namespace

void serveHost(int in, int out, const std::string& workerProgram) {
    ::signal(SIGPIPE, SIG_IGN);
    Server(in, out, workerProgram).serve();
}

}  // namespace mmapscope
