#include "host/ssh_connection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/text.h"

namespace mmapscope {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostNoise = 64U << 10U;
constexpr std::size_t kMostErrors = 8U << 10U;
constexpr int kEndPatienceMs = 1000;
constexpr auto kTick = 100ms;
/// Of the whole way to the first word; ssh's own ConnectTimeout ends it earlier where nothing answers.
constexpr auto kHelloPatience = 60s;

/// In single quotes for a POSIX shell.
std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) {
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return out + "'";
}

std::vector<std::string> commandOf(const SshOptions& options, std::vector<std::string> command) {
    // Nothing is asked for in a program that may run unattended; a dead connection is noticed; what the
    // user's configuration forwards isn't wanted here.
    for (const char* option :
         {"-T", "-a", "-x", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=10",
          "-o", "ServerAliveCountMax=3", "-o", "ClearAllForwardings=yes", "-o", "RemoteCommand=none", "--"}) {
        command.emplace_back(option);
    }
    command.push_back(options.host);
    command.push_back(quoted(options.program) + " --serve");
    return command;
}

/// The last line that says something.
std::string lastLine(std::string_view text) {
    std::string last;
    while (!text.empty()) {
        const auto end = std::min(text.find_first_of("\r\n"), text.size());
        if (const auto line = text.substr(0, end); line.find_first_not_of(" \t") != std::string_view::npos) {
            last = printable(line);
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return last;
}

std::string firstLine(std::string_view text) {
    const auto from = text.find_first_not_of(" \t\r\n");
    if (from == std::string_view::npos) {
        return {};
    }
    text.remove_prefix(from);
    return printable(text.substr(0, std::min<std::size_t>(text.find_first_of("\r\n"), 120)));
}

/// What ssh says (OpenSSH's own words), and what helps.
struct Remedy {
    std::string_view said, whatToDo;
};
constexpr Remedy kRemedies[] = {
    {"Could not resolve hostname", "is that its name? What ssh's configuration calls it is fine too"},
    {"Connection refused",
     "does sshd run there, on that port? --ssh \"ssh -p PORT\" names another (or $MMAPSCOPE_SSH)"},
    {"timed out", "is it up, and does a firewall let ssh through?"},
    {"No route to host", "is it up, and does a firewall let ssh through?"},
    {"Permission denied",
     "nothing is asked for here: set up a key (ssh-copy-id) or an agent, so that ssh gets there by itself"},
    {"Host key verification failed",
     "call ssh there once by hand, and compare the key it shows with the machine's"},
};

}  // namespace

SshConnection::SshConnection(WorkerProcess process) : process_(std::move(process)) {
    for (const int fd : {process_.output(), process_.errors()}) {
        ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
    }
}

SshConnection::~SshConnection() {
    process_.closeInput();
    if (process_.pid() > 0) {
        static_cast<void>(process_.end(kEndPatienceMs));
    }
}

Result<std::unique_ptr<SshConnection>> SshConnection::open(const SshOptions& options,
                                                           const std::vector<std::string>& ssh,
                                                           const std::stop_token& stop) {
    auto process =
        WorkerProcess::start(commandOf(options, ssh),
                             {"ssh as", "install openssh-client, or name another command with --ssh", true});
    if (!process) {
        return tl::unexpected(process.error());
    }
    std::unique_ptr<SshConnection> connection(new SshConnection(std::move(*process)));
    if (const auto greeted = connection->greet(options, stop); !greeted) {
        connection->drop();
        return tl::unexpected(greeted.error());
    }
    return connection;
}

Status SshConnection::greet(const SshOptions& options, const std::stop_token& stop) {
    const auto until = std::chrono::steady_clock::now() + kHelloPatience;
    const std::string host = printable(options.host);
    for (;;) {
        auto frame = next(kTick);
        if (!frame) {
            return outputOpen_ ? tl::unexpected(frame.error()) : tl::unexpected(notOpened(options));
        }
        if (stop.stop_requested()) {
            return cancelled();
        }
        if (!*frame && std::chrono::steady_clock::now() > until) {
            return fail(ErrorKind::unavailable,
                        fmt::format("{}: {} said nothing for {}; does `ssh {} true` end by itself?", host,
                                    printable(options.program), formatDuration(kHelloPatience), host));
        }
        if (!*frame) {
            continue;
        }
        const auto hello = (*frame)->type == FrameType::hello
                               ? decodeHello((*frame)->payload)
                               : fail(ErrorKind::failed, "its first word is no hello");
        const Status fits =
            hello ? checkHello(*hello, ownHello()) : Status(tl::unexpected<Error>(hello.error()));
        return fits ? fits
                    : fail(ErrorKind::unavailable,
                           fmt::format("{}: {}", host, printable(fits.error().message)));
    }
}

Status SshConnection::send(FrameType type, std::string_view payload) {
    return writeFrame(process_.input(), type, payload);
}

Result<std::optional<Frame>> SshConnection::next(std::chrono::milliseconds patience) {
    for (const bool waited : {false, true}) {
        auto frame = frames_.next();
        if (!frame || *frame) {
            return frame;
        }
        if (!outputOpen_) {
            return fail(ErrorKind::failed, why());
        }
        if (!waited) {
            read(patience);
        }
    }
    return std::optional<Frame>();
}

void SshConnection::read(std::chrono::milliseconds patience) {
    std::array<pollfd, 2> ends{pollfd{process_.output(), POLLIN, 0},
                               pollfd{errorsOpen_ ? process_.errors() : -1, POLLIN, 0}};
    if (::poll(ends.data(), ends.size(), static_cast<int>(patience.count())) > 0) {
        readErrors();
        readOutput();
    }
}

void SshConnection::readErrors() {
    std::array<char, 4096> bytes;
    ssize_t got = 0;
    while (errorsOpen_ && (got = ::read(process_.errors(), bytes.data(), bytes.size())) > 0) {
        said_.append(bytes.data(), static_cast<std::size_t>(got));
        if (said_.size() > kMostErrors) {
            said_.erase(0, said_.size() - kMostErrors);
        }
    }
    errorsOpen_ = errorsOpen_ && got < 0 && (errno == EAGAIN || errno == EINTR);
}

void SshConnection::readOutput() {
    std::array<char, 16384> bytes;
    const ssize_t got = ::read(process_.output(), bytes.data(), bytes.size());
    if (got <= 0) {
        outputOpen_ = got < 0 && (errno == EAGAIN || errno == EINTR);
        return;
    }
    if (marked_) {
        frames_.feed({bytes.data(), static_cast<std::size_t>(got)});
        return;
    }
    noise_.append(bytes.data(), static_cast<std::size_t>(got));
    if (const auto mark = noise_.find(kServeMark); mark != std::string::npos) {
        marked_ = true;
        const std::string_view rest = std::string_view(noise_).substr(mark + kServeMark.size());
        frames_.feed({rest.data(), rest.size()});
        noise_.resize(mark);
    } else if (noise_.size() > kMostNoise) {
        outputOpen_ = false;
    }
}

std::string SshConnection::why() {
    if (process_.pid() > 0) {
        process_.closeInput();
        how_ = process_.end(kEndPatienceMs);
    }
    readErrors();
    const std::string said = lastLine(said_);
    return !said.empty() ? said : how_.empty() ? std::string("it ended") : "ssh " + how_;
}

Error SshConnection::notOpened(const SshOptions& options) {
    const std::string host = printable(options.host);
    const std::string program = printable(options.program);
    const std::string because = why();
    const std::string noise = firstLine(noise_);
    const auto say = [](std::string text) { return Error{ErrorKind::unavailable, std::move(text)}; };
    if (how_ == "ended with status 127" || how_ == "ended with status 126") {
        return say(
            fmt::format("{} has no {} that can be run ({}); copy or install it there, or say where it is "
                        "with --remote-worker PATH",
                        host, program, because));
    }
    if (how_ == "ended with status 255") {
        for (const Remedy& remedy : kRemedies) {
            if (said_.find(remedy.said) != std::string::npos) {
                return say(fmt::format("{} is not reached over ssh: {}; {}", host, because, remedy.whatToDo));
            }
        }
        return say(
            fmt::format("{} is not reached over ssh: {}; try `ssh {} true`, which must work without "
                        "asking for anything",
                        host, because, host));
    }
    if (!noise.empty()) {
        return say(
            fmt::format("{}: instead of {}'s first word came \"{}\"; that is printed by a shell's startup "
                        "file there, or it is another program",
                        host, program, noise));
    }
    return say(
        fmt::format("{}: {} didn't serve ({}); is it the mmapscope-worker of version {}? `{} --version` "
                    "there tells",
                    host, program, because, ownHello().tool, program));
}

}  // namespace mmapscope
