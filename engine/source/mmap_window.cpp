// Map a window of the file, advise, consume, unmap, and on to the next: each thread has at most one window.
#include <fmt/format.h>
#include <linux/mman.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>

#include "core/text.h"
#include "source/availability.h"
#include "source/guarded_mapping.h"
#include "source/heap_buffer.h"
#include "source/open_file.h"
#include "source/source_types.h"

namespace mmapscope {
namespace {

constexpr Bytes kSmallFile = mib(1);
/// What a window that can't be mapped is read through.
constexpr Bytes kFallbackBuffer = mib(1);

enum class WindowAdvice { none, sequential, willneed, populate };

struct Windows {
    std::atomic<std::uint64_t> all{0};
    std::atomic<std::uint64_t> fellBack{0};
    std::mutex mutex;
    std::string reason;  // of the first that fell back

    void refused(const Error& error) {
        fellBack.fetch_add(1, std::memory_order_relaxed);
        const std::scoped_lock lock(mutex);
        if (reason.empty()) {
            reason = error.message;
        }
    }
};

class WindowCursor : public Cursor {
  public:
    WindowCursor(const OpenFile& file, Range range, Bytes window, WindowAdvice advice, std::stop_token stop,
                 Windows& windows)
        : file_(file),
          position_(range.begin),
          end_(range.end),
          windowEnd_(range.begin),
          window_(roundUp(window, pageSize())),
          advice_(advice),
          stop_(std::move(stop)),
          windows_(windows) {}

    Result<std::span<const std::byte>> next() override {
        if (auto status = checkpoint(stop_); !status) {
            return tl::unexpected(status.error());
        }
        if (position_ == end_) {
            mapping_.unmap();
            return std::span<const std::byte>();
        }
        if (position_ == windowEnd_) {
            if (auto status = openWindow(); !status) {
                return tl::unexpected(status.error());
            }
        }
        if (mapping_.data() == nullptr) {
            return readSpan();
        }
        const Range span{position_, std::min(windowEnd_, position_ + kMaxSpan)};
        position_ = span.end;
        return mapping_.bytes(span.begin - origin_, span.length());
    }

    Status intact() const override {
        auto status = mapping_.intact();
        return status ? status : file_.explain(status);
    }

  private:
    Status openWindow() {
        mapping_.unmap();
        origin_ = roundDown(position_, pageSize());
        windowEnd_ = std::min(end_, origin_ + window_);
        windows_.all.fetch_add(1, std::memory_order_relaxed);
        auto mapping = GuardedMapping::map(MappingKind::file, windowEnd_ - origin_, PROT_READ, MAP_PRIVATE,
                                           file_.fd(), origin_);
        if (mapping) {
            mapping_ = std::move(*mapping);
            return file_.explain(advise());
        }
        windows_.refused(mapping.error());
        // The one allocation after the cursor's start: a buffer taken beforehand would be charged to every
        // run of a strategy whose point is to need none.
        if (!buffer_) {
            auto buffer = HeapBuffer::allocate(kFallbackBuffer);
            if (!buffer) {
                return tl::unexpected(buffer.error());
            }
            buffer_ = std::move(*buffer);
        }
        return {};
    }

    Status advise() const {
        const Bytes length = windowEnd_ - origin_;
        switch (advice_) {
            case WindowAdvice::none:
                return {};
            case WindowAdvice::sequential:
                return mapping_.advise(Bytes(0), length, MADV_SEQUENTIAL);
            case WindowAdvice::willneed:
                return mapping_.advise(Bytes(0), length, MADV_WILLNEED);
            case WindowAdvice::populate:
                break;
        }
        for (Bytes done; done < length; done += kStopStep) {
            if (auto status = checkpoint(stop_); !status) {
                return status;
            }
            const Bytes step = std::min(kStopStep, length - done);
            if (auto status = mapping_.advise(done, step, MADV_POPULATE_READ); !status) {
                return status;
            }
        }
        return {};
    }

    Result<std::span<const std::byte>> readSpan() {
        const Bytes wanted = std::min(buffer_.size(), windowEnd_ - position_);
        const ssize_t got = preadSome(file_.fd(), buffer_.data(), wanted, position_);
        if (got < 0) {
            return file_.readError(errno);
        }
        if (got == 0) {
            return file_.ended(position_);
        }
        position_ += Bytes(static_cast<std::uint64_t>(got));
        return std::span<const std::byte>(buffer_.data(), static_cast<std::size_t>(got));
    }

    const OpenFile& file_;
    Bytes position_;
    Bytes end_;
    Bytes origin_;
    Bytes windowEnd_;
    Bytes window_;
    WindowAdvice advice_;
    std::stop_token stop_;
    Windows& windows_;
    GuardedMapping mapping_;
    HeapBuffer buffer_;
};

class WindowSource : public Source {
  public:
    WindowSource(Bytes window, WindowAdvice advice) : window_(window), advice_(advice) {}

    Status open(const SourceInput& input) override {
        input_ = &input;
        return file_.open(input);
    }

    Result<std::unique_ptr<Cursor>> cursor(std::size_t index) override {
        return std::make_unique<WindowCursor>(file_, input_->ranges[index], window_, advice_,
                                              input_->accounts->stop(), windows_);
    }

    void close() noexcept override { file_.close(); }

    std::vector<std::string> notes() const override {
        const std::uint64_t fellBack = windows_.fellBack.load();
        if (fellBack == 0) {
            return {};
        }
        return {fmt::format("{} of {} windows could not be mapped and were read with pread instead: {}",
                            fellBack, windows_.all.load(), windows_.reason)};
    }

  private:
    Bytes window_;
    WindowAdvice advice_;
    OpenFile file_;
    Windows windows_;
    const SourceInput* input_ = nullptr;
};

WindowAdvice adviceOf(const Parameters& parameters) {
    const std::string& text = textOf(parameters, "advice");
    return text == "none"       ? WindowAdvice::none
           : text == "willneed" ? WindowAdvice::willneed
           : text == "populate" ? WindowAdvice::populate
                                : WindowAdvice::sequential;
}

Availability availability(const FileFacts& file, const Parameters& parameters, Range range,
                          unsigned threads) {
    Availability answer = somethingToMap(file, parameters, range, threads);
    if (answer.available && adviceOf(parameters) == WindowAdvice::populate) {
        answer = knowsAdvice(MADV_POPULATE_READ, "MADV_POPULATE_READ", "5.14");
    }
    if (answer.available && range.length() < kSmallFile && !flagOf(parameters, "small")) {
        return Availability::no(fmt::format("{} is less than {}: mapping costs more than two reads there",
                                            formatBytes(range.length()), formatBytes(kSmallFile)),
                                "mmap-window:small=yes");
    }
    return answer;
}

}  // namespace

const SourceType mmapWindowSource{
    .id = "mmap-window",
    .summary = "map a window of the file, advise, consume, unmap, one window a thread after the other",
    .parameters = {{.name = "window",
                    .kind = ParameterKind::bytes,
                    .defaultValue = "16MiB",
                    .help = "How much each thread has mapped at once, in whole pages",
                    .least = kib(64)},
                   {.name = "advice",
                    .kind = ParameterKind::choice,
                    .defaultValue = "sequential",
                    .help =
                        "What madvise(2) is told of each window; populate fills its page tables (Linux 5.14)",
                    .choices = {"sequential", "none", "willneed", "populate"}},
                   {.name = "small",
                    .kind = ParameterKind::flag,
                    .defaultValue = "no",
                    .help = "Also map files of less than 1 MiB, where two reads cost less"}},
    .traits = {.mapsFile = true, .leavesSmallFiles = true},
    .availability = availability,
    .create = [](const Parameters& p) -> std::unique_ptr<Source> {
        return std::make_unique<WindowSource>(bytesOf(p, "window"), adviceOf(p));
    },
};

}  // namespace mmapscope
