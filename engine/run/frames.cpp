#include "run/frames.h"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>

#include "core/text.h"
#include "run/json_reader.h"

namespace mmapscope {
namespace {

constexpr FrameType kTypes[] = {FrameType::hello,   FrameType::request,  FrameType::samples,
                                FrameType::stop,    FrameType::record,   FrameType::error,
                                FrameType::planned, FrameType::progress, FrameType::done,
                                FrameType::refusal, FrameType::answer,   FrameType::taken};

/// Keeps a write to a pipe without a reader from raising SIGPIPE, in this thread and for this write alone.
class NoSigpipe {
  public:
    NoSigpipe() {
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        sigset_t pending;
        sigpending(&pending);
        already_ = sigismember(&pending, SIGPIPE) == 1;
        pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    ~NoSigpipe() {
        const int kept = errno;
        if (!already_) {
            const timespec now{};
            while (sigtimedwait(&pipe_, nullptr, &now) < 0 && errno == EINTR) {
            }
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        errno = kept;
    }
    NoSigpipe(const NoSigpipe&) = delete;
    NoSigpipe& operator=(const NoSigpipe&) = delete;

  private:
    sigset_t pipe_{};
    sigset_t before_{};
    bool already_ = false;
};

std::uint64_t littleEndian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
        value = value << 8U | static_cast<unsigned char>(bytes[i]);
    }
    return value;
}

void appendLittleEndian(std::string& out, std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) {
        out.push_back(static_cast<char>(value >> 8U * i & 0xFFU));
    }
}

}  // namespace

std::string_view name(FrameType type) {
    switch (type) {
        case FrameType::hello:
            return "hello";
        case FrameType::request:
            return "request";
        case FrameType::samples:
            return "samples";
        case FrameType::stop:
            return "stop";
        case FrameType::record:
            return "record";
        case FrameType::planned:
            return "planned";
        case FrameType::progress:
            return "progress";
        case FrameType::done:
            return "done";
        case FrameType::refusal:
            return "refusal";
        case FrameType::answer:
            return "answer";
        case FrameType::taken:
            return "taken";
        case FrameType::error:
            break;
    }
    return "error";
}

std::size_t mostPayload(FrameType type) {
    switch (type) {
        case FrameType::hello:
        case FrameType::error:
        case FrameType::progress:
        case FrameType::refusal:
            return 16U << 10U;
        case FrameType::request:
            return 4U << 20U;
        case FrameType::samples:
            return 1U << 20U;
        case FrameType::planned:
        case FrameType::done:
        case FrameType::record:
            return 128U << 20U;  // hours of samples
        case FrameType::answer:
            return 16U << 20U;
        case FrameType::stop:
        case FrameType::taken:
            break;
    }
    return 0;
}

Hello ownHello() {
    Hello hello;
    hello.tool = MMAPSCOPE_VERSION;
    hello.byteOrder = std::endian::native == std::endian::little ? "little" : "big";
    hello.pid = getpid();
    return hello;
}

std::string encodeHello(const Hello& hello) {
    Json json = Json::object();
    json["protocol"] = hello.protocol;
    json["tool"] = hello.tool;
    json["sample_bytes"] = hello.sampleBytes;
    json["byte_order"] = hello.byteOrder;
    json["pid"] = hello.pid;
    return dumpJson(json);
}

Result<Hello> decodeHello(std::string_view payload) {
    const auto json = parseJson(payload);
    if (!json) {
        return tl::unexpected(json.error());
    }
    Hello hello;
    JsonReader reader(*json, "hello");
    reader.required("protocol", hello.protocol);
    reader.required("tool", hello.tool);
    reader.required("sample_bytes", hello.sampleBytes);
    reader.required("byte_order", hello.byteOrder);
    reader.required("pid", hello.pid);
    return reader.status().map([&] { return hello; });
}

Status checkHello(const Hello& theirs, const Hello& ours) {
    std::string difference;
    if (theirs.protocol != ours.protocol) {
        difference = fmt::format("speaks protocol {}, this program {}", theirs.protocol, ours.protocol);
    } else if (theirs.sampleBytes != ours.sampleBytes) {
        difference =
            fmt::format("has samples of {} bytes, this program {}", theirs.sampleBytes, ours.sampleBytes);
    } else if (theirs.byteOrder != ours.byteOrder) {
        difference =
            fmt::format("is {}-endian, this program {}", printable(theirs.byteOrder), ours.byteOrder);
    } else {
        return {};
    }
    return fail(ErrorKind::unavailable,
                fmt::format("the worker (version {}) {} (version {}); install both from the "
                            "same version",
                            printable(theirs.tool), difference, ours.tool));
}

Result<std::optional<Frame>> FrameReader::next() {
    if (buffer_.size() < kFrameHeaderBytes) {
        return std::optional<Frame>();
    }
    const std::string_view header = std::string_view(buffer_).substr(0, kFrameHeaderBytes);
    const std::uint64_t length = littleEndian(header.substr(0, 4));
    const auto type = static_cast<FrameType>(littleEndian(header.substr(4)));
    bool known = false;
    for (const FrameType one : kTypes) {
        known = known || one == type;
    }
    if (!known) {
        return fail(ErrorKind::failed,
                    fmt::format("the stream holds a frame of unknown type {} ({} bytes): it is not "
                                "from a worker, or text was printed into it",
                                static_cast<unsigned>(type), length));
    }
    if (length > mostPayload(type)) {
        return fail(ErrorKind::failed, fmt::format("a {} frame announces {} bytes; at most {} are allowed",
                                                   name(type), length, mostPayload(type)));
    }
    if (buffer_.size() - kFrameHeaderBytes < length) {
        return std::optional<Frame>();
    }
    Frame frame{type, buffer_.substr(kFrameHeaderBytes, length)};
    buffer_.erase(0, kFrameHeaderBytes + length);
    return std::optional(std::move(frame));
}

std::string encodeFrame(FrameType type, std::string_view payload) {
    std::string frame;
    frame.reserve(kFrameHeaderBytes + payload.size());
    appendLittleEndian(frame, payload.size(), 4);
    appendLittleEndian(frame, static_cast<std::uint16_t>(type), 2);
    frame += payload;
    return frame;
}

Status writeAll(int fd, std::string_view bytes) {
    const NoSigpipe quiet;
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(n));
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            pollfd ready{fd, POLLOUT, 0};
            (void)::poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            return failErrno(ErrorKind::failed, "writing to the other side", errno);
        }
    }
    return {};
}

Status writeFrame(int fd, FrameType type, std::string_view payload) {
    if (payload.size() > mostPayload(type)) {
        return fail(ErrorKind::failed,
                    fmt::format("a {} frame of {} bytes is too long; at most {} are allowed", name(type),
                                payload.size(), mostPayload(type)));
    }
    return writeAll(fd, encodeFrame(type, payload));
}

Status writeSamples(int fd, std::span<const Sample> samples) {
    std::string payload(samples.size_bytes(), '\0');
    std::memcpy(payload.data(), samples.data(), samples.size_bytes());
    return writeFrame(fd, FrameType::samples, payload);
}

Result<std::vector<Sample>> decodeSamples(std::string_view payload) {
    if (payload.size() % sizeof(Sample) != 0) {
        return fail(ErrorKind::failed,
                    fmt::format("a samples frame of {} bytes is not whole samples of {} bytes",
                                payload.size(), sizeof(Sample)));
    }
    std::vector<Sample> samples(payload.size() / sizeof(Sample));
    if (!samples.empty()) {
        std::memcpy(samples.data(), payload.data(), payload.size());
    }
    return samples;
}

}  // namespace mmapscope
