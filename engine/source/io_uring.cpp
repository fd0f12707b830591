// Asynchronous reads into registered buffers (io_uring(7)), handed out in file order.
#include <fmt/format.h>
#include <liburing.h>
#include <sys/resource.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <utility>
#include <vector>

#include "core/text.h"
#include "probe/fields.h"
#include "probe/system_facts.h"
#include "source/availability.h"
#include "source/block_ring.h"
#include "source/direct_file.h"
#include "source/source_types.h"

namespace mmapscope {
namespace {

// Why io_uring_setup(2) said no: a switch, a filter or a limit, each with its own way out.
tl::unexpected<Error> setupError(int errnum) {
    const auto text = readKernelText("/proc/sys/kernel/io_uring_disabled");
    const auto disabled = text ? parseUnsigned(trimmed(*text)) : std::nullopt;
    if (errnum == EPERM && disabled.value_or(0) > 0) {
        return fail(ErrorKind::unavailable,
                    fmt::format("io_uring is switched off (kernel.io_uring_disabled={}); sudo sysctl "
                                "kernel.io_uring_disabled=0",
                                *disabled));
    }
    if (errnum == EPERM || errnum == EACCES) {
        return fail(ErrorKind::unavailable,
                    "io_uring is forbidden to this process: a seccomp filter or container "
                    "policy denies io_uring_setup");
    }
    if (errnum == ENOSYS) {
        return fail(ErrorKind::unavailable, "this kernel has no io_uring, or a seccomp filter hides it");
    }
    return failErrno(ErrorKind::unavailable, "setting io_uring up", errnum);
}

tl::unexpected<Error> registerError(Bytes size, int errnum) {
    rlimit locked{};
    getrlimit(RLIMIT_MEMLOCK, &locked);
    if (errnum == ENOMEM && locked.rlim_cur != RLIM_INFINITY) {
        return fail(
            ErrorKind::unavailable,
            fmt::format("registering {} of io_uring buffers: the limit on locked memory is {}; raise it "
                        "with ulimit -l, or make buffer or depth smaller",
                        formatBytes(size), formatBytes(Bytes(locked.rlim_cur))));
    }
    return failErrno(ErrorKind::unavailable,
                     fmt::format("registering {} of io_uring buffers", formatBytes(size)), errnum);
}

class Ring {
  public:
    Ring() = default;
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;
    ~Ring() {
        if (open_) {
            const std::scoped_lock lock(addresses());
            io_uring_queue_exit(&ring_);
        }
    }
    [[nodiscard]] Status open(unsigned entries) {
        const std::scoped_lock lock(addresses());
        const int result = io_uring_queue_init(entries, &ring_, 0);
        open_ = result == 0;
        return open_ ? Status() : setupError(-result);
    }
    [[nodiscard]] io_uring* get() noexcept { return &ring_; }

  private:
    // The library maps its rings by system calls of its own. The lock makes visible to thread sanitizers that
    // an address passes from a ring that is gone to a new one of another thread.
    static std::mutex& addresses() {
        static std::mutex mutex;
        return mutex;
    }

    io_uring ring_{};
    bool open_ = false;
};

class UringCursor : public Cursor {
  public:
    UringCursor(const DirectFile* direct, const OpenFile& buffered, BlockPlan plan, unsigned depth,
                HeapBuffer memory, std::stop_token stop)
        : direct_(direct),
          buffered_(buffered),
          fd_(direct != nullptr ? direct->fd() : buffered.fd()),
          plan_(plan),
          memory_(std::move(memory)),
          slots_(depth),
          stop_(std::move(stop)) {}

    // The kernel writes into the buffers until each request is answered, so none may be freed before.
    ~UringCursor() override {
        while (inFlight_ > 0) {
            io_uring_cqe* answer = nullptr;
            const int result = io_uring_wait_cqe(ring_.get(), &answer);
            if (result == 0) {
                io_uring_cqe_seen(ring_.get(), answer);
                --inFlight_;
            } else if (result != -EINTR) {
                break;
            }
        }
    }

    [[nodiscard]] Status start() {
        if (auto status = ring_.open(static_cast<unsigned>(slots_.size())); !status) {
            return status;
        }
        const iovec all{memory_.data(), memory_.size().size()};
        if (const int result = io_uring_register_buffers(ring_.get(), &all, 1); result != 0) {
            return registerError(memory_.size(), -result);
        }
        while (asked_ < std::min<std::uint64_t>(slots_.size(), plan_.count())) {
            begin(asked_++);
        }
        return submit();
    }

    Result<std::span<const std::byte>> next() override {
        if (taken_ == plan_.count()) {
            return std::span<const std::byte>();
        }
        if (auto status = checkpoint(stop_); !status) {
            return tl::unexpected(status.error());
        }
        // The slot whose bytes were just used up is free for the block that is furthest ahead.
        if (taken_ > 0 && asked_ < plan_.count()) {
            begin(asked_++);
        }
        if (auto status = submit(); !status) {
            return tl::unexpected(status.error());
        }
        Slot& slot = slotOf(taken_);
        while (!slot.done) {
            if (auto status = takeAnswer(); !status) {
                return tl::unexpected(status.error());
            }
        }
        if (auto status = finish(taken_); !status) {
            return tl::unexpected(status.error());
        }
        const Range block = plan_.block(taken_++);
        const Bytes skipped = block.begin - slot.wanted.begin;
        return std::span<const std::byte>(slotMemory(taken_ - 1) + skipped.size(), block.length().size());
    }

  private:
    struct Slot {
        Range wanted;  // of the file: the block, or its part that can be read directly
        Bytes got;
        int error = 0;
        bool done = false;
    };

    [[nodiscard]] Slot& slotOf(std::uint64_t block) {
        return slots_[static_cast<std::size_t>(block % slots_.size())];
    }
    [[nodiscard]] std::byte* slotMemory(std::uint64_t block) const {
        return memory_.data() + static_cast<std::size_t>(block % slots_.size()) * plan_.size().size();
    }

    void begin(std::uint64_t block) {
        const Range whole = plan_.block(block);
        Slot& slot = slotOf(block);
        slot = Slot{direct_ != nullptr ? direct_->directPart(whole) : whole, Bytes(0), 0, false};
        if (slot.wanted.length().isZero()) {
            slot.done = true;  // nothing but a tail
            return;
        }
        request(block);
    }

    void request(std::uint64_t block) {
        const Slot& slot = slotOf(block);
        io_uring_sqe* const entry = io_uring_get_sqe(ring_.get());
        io_uring_prep_read_fixed(entry, fd_, slotMemory(block) + slot.got.size(),
                                 static_cast<unsigned>((slot.wanted.length() - slot.got).count()),
                                 (slot.wanted.begin + slot.got).count(), 0);
        io_uring_sqe_set_data64(entry, block);
        ++pending_;
    }

    [[nodiscard]] Status submit() {
        while (pending_ > 0) {
            const int result = io_uring_submit(ring_.get());
            if (result < 0 && result != -EINTR) {
                return failErrno(ErrorKind::failed, "io_uring_enter", -result);
            }
            if (result > 0) {
                pending_ -= static_cast<unsigned>(result);
                inFlight_ += static_cast<unsigned>(result);
            }
        }
        return {};
    }

    [[nodiscard]] Status takeAnswer() {
        io_uring_cqe* answer = nullptr;
        const int result = io_uring_wait_cqe(ring_.get(), &answer);
        if (result == -EINTR) {
            return {};
        }
        if (result != 0) {
            return failErrno(ErrorKind::failed, "waiting for io_uring", -result);
        }
        const std::uint64_t block = io_uring_cqe_get_data64(answer);
        const int got = answer->res;
        io_uring_cqe_seen(ring_.get(), answer);
        --inFlight_;
        Slot& slot = slotOf(block);
        if (got == -EINTR || got == -EAGAIN) {
            request(block);
            return submit();
        }
        slot.error = got < 0 ? -got : 0;
        slot.got += Bytes(static_cast<std::uint64_t>(std::max(got, 0)));
        slot.done = got <= 0 || slot.got == slot.wanted.length() || direct_ != nullptr;
        if (!slot.done) {
            request(block);
            return submit();
        }
        return {};
    }

    // What is missing of an answered block: an error, the file's end, or the tail that O_DIRECT can't reach.
    [[nodiscard]] Status finish(std::uint64_t block) {
        const Slot& slot = slotOf(block);
        if (slot.error != 0) {
            return buffered_.readError(slot.error);
        }
        if (direct_ != nullptr) {
            return direct_->readTail(slotMemory(block), plan_.block(block), slot.got);
        }
        return slot.got == slot.wanted.length() ? Status() : buffered_.ended(slot.wanted.begin + slot.got);
    }

    const DirectFile* direct_;
    const OpenFile& buffered_;
    int fd_;
    BlockPlan plan_;
    HeapBuffer memory_;
    std::vector<Slot> slots_;
    std::stop_token stop_;
    Ring ring_;
    unsigned pending_ = 0;   // requests in the queue, not yet given to the kernel
    unsigned inFlight_ = 0;  // given to the kernel, not yet answered
    std::uint64_t asked_ = 0;
    std::uint64_t taken_ = 0;
};

class UringSource : public Source {
  public:
    UringSource(Bytes buffer, unsigned depth, bool direct)
        : buffer_(buffer), depth_(depth), direct_(direct) {}

    Status open(const SourceInput& input) override {
        input_ = &input;
        return direct_ ? directFile_.open(input) : file_.open(input);
    }

    Result<std::unique_ptr<Cursor>> cursor(std::size_t index) override {
        const BlockPlan plan(input_->ranges[index], buffer_, direct_ ? directFile_.alignment() : Bytes(1));
        auto memory = HeapBuffer::allocate(plan.size() * depth_);
        if (!memory) {
            return tl::unexpected(memory.error());
        }
        auto cursor = std::make_unique<UringCursor>(direct_ ? &directFile_ : nullptr,
                                                    direct_ ? directFile_.buffered() : file_, plan, depth_,
                                                    std::move(*memory), input_->accounts->stop());
        if (auto status = cursor->start(); !status) {
            return tl::unexpected(status.error());
        }
        return cursor;
    }

    void close() noexcept override {
        file_.close();
        directFile_.close();
    }

  private:
    Bytes buffer_;
    unsigned depth_;
    bool direct_;
    OpenFile file_;
    DirectFile directFile_;
    const SourceInput* input_ = nullptr;
};

// The only way to know is to make a ring, which is gone again at once.
Availability availability(const FileFacts& file, const Parameters& parameters, Range, unsigned) {
    if (const auto status = Ring().open(1); !status) {
        return Availability::no(status.error().message);
    }
    return flagOf(parameters, "direct") ? directReads(file) : Availability::yes();
}

}  // namespace

const SourceType ioUringSource{
    .id = "io-uring",
    .summary = "asynchronous reads by io_uring into registered buffers, handed out in file order",
    .parameters = {bufferParameter("256KiB"),
                   depthParameter("8"),
                   {.name = "direct",
                    .kind = ParameterKind::flag,
                    .defaultValue = "no",
                    .help = "O_DIRECT: past the page cache, but for the file's last, partial block"}},
    .traits = {},
    .availability = availability,
    .create = [](const Parameters& p) -> std::unique_ptr<Source> {
        return std::make_unique<UringSource>(bytesOf(p, "buffer"), depthOf(p), flagOf(p, "direct"));
    },
};

}  // namespace mmapscope
