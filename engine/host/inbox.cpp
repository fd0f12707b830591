#include "host/inbox.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace mmapscope {
namespace {

/// A question at a time, with the study it may need before it.
constexpr std::size_t kMostWaiting = 4;

}  // namespace

Inbox::Inbox(int in) : in_(in), wake_(::eventfd(0, EFD_CLOEXEC)), thread_([this] { listen(); }) {}

Inbox::~Inbox() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t n = ::write(wake_.get(), &one, sizeof one);
}

void Inbox::listen() {
    FrameReader reader;
    std::array<char, 16384> bytes;
    for (bool goes = true; goes;) {
        std::array<pollfd, 2> ready{pollfd{in_, POLLIN, 0}, pollfd{wake_.get(), POLLIN, 0}};
        if (::poll(ready.data(), ready.size(), -1) < 0) {
            goes = errno == EINTR;
            continue;
        }
        if (ready[1].revents != 0) {
            break;
        }
        const ssize_t got = ::read(in_, bytes.data(), bytes.size());
        if (got <= 0) {
            goes = got < 0 && (errno == EINTR || errno == EAGAIN);
            continue;
        }
        reader.feed({bytes.data(), static_cast<std::size_t>(got)});
        for (auto frame = reader.next(); goes && !(frame && !*frame); frame = reader.next()) {
            goes = frame && take(std::move(**frame));
        }
    }
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    latest_.request_stop();
    changed_.notify_all();
}

bool Inbox::take(Frame frame) {
    const std::scoped_lock lock(mutex_);
    switch (frame.type) {
        case FrameType::request:
        case FrameType::planned:
            latest_ = std::stop_source();
            requests_.push_back({std::move(frame), latest_});
            break;
        case FrameType::stop:
            latest_.request_stop();
            break;
        case FrameType::taken:
            ++taken_;
            break;
        default:
            return false;
    }
    changed_.notify_all();
    return requests_.size() <= kMostWaiting;
}

std::optional<Inbox::Request> Inbox::await(std::chrono::seconds patience) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [&] { return ended_ || !requests_.empty(); });
    if (ended_ || requests_.empty()) {
        return std::nullopt;
    }
    Request request = std::move(requests_.front());
    requests_.pop_front();
    return request;
}

std::uint64_t Inbox::taken() const {
    const std::scoped_lock lock(mutex_);
    return taken_;
}

bool Inbox::awaitTaken(std::uint64_t before, std::chrono::seconds patience) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [&] { return ended_ || taken_ > before; });
    return taken_ > before && !ended_;
}

}  // namespace mmapscope
