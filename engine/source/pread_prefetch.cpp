// pread(2), and a coordinator that has the bytes cached before the consumers ask for them.
#include "source/availability.h"
#include "source/prefetcher.h"
#include "source/read_ahead.h"
#include "source/read_cursor.h"
#include "source/source_types.h"

namespace mmapscope {
namespace {

class PreadPrefetchSource : public Source {
  public:
    PreadPrefetchSource(Bytes buffer, PrefetchPlan plan) : buffer_(buffer), plan_(plan) {}

    Status prepare(const SourceInput& input) override {
        plan_.step = readAheadOf(input.path);
        return {};
    }

    Status open(const SourceInput& input) override {
        input_ = &input;
        if (auto status = file_.open(input); !status) {
            return status;
        }
        prefetcher_ = std::make_unique<Prefetcher>(plan_, file_, nullptr, input);
        return prefetcher_->start();
    }

    Result<std::unique_ptr<Cursor>> cursor(std::size_t index) override {
        auto inner = heapReadCursor(file_, ReadBy::offset, *input_, index, buffer_);
        if (!inner) {
            return inner;
        }
        return std::make_unique<PrefetchedCursor>(std::move(*inner), *prefetcher_, index,
                                                  input_->ranges[index]);
    }

    void close() noexcept override {
        if (prefetcher_) {
            prefetcher_->finish();
        }
        file_.close();
    }

    std::vector<std::string> notes() const override {
        return prefetcher_ ? std::vector{prefetcher_->note()} : std::vector<std::string>();
    }

  private:
    Bytes buffer_;
    PrefetchPlan plan_;
    OpenFile file_;
    std::unique_ptr<Prefetcher> prefetcher_;
    const SourceInput* input_ = nullptr;
};

}  // namespace

const SourceType preadPrefetchSource{
    .id = "pread-prefetch",
    .summary = "pread(2), and a coordinator thread that asks for what comes next, a bounded distance ahead",
    .parameters = {bufferParameter("4MiB"), aheadParameter(),
                   howParameter(
                       {"readahead", "fadvise"},
                       "How the coordinator asks: readahead(2) or posix_fadvise; the other two ways need "
                       "a mapping")},
    .traits = {.helperThreads = true},
    .availability = alwaysAvailable,
    .create = [](const Parameters& p) -> std::unique_ptr<Source> {
        return std::make_unique<PreadPrefetchSource>(bytesOf(p, "buffer"), prefetchPlan(p));
    },
};

}  // namespace mmapscope
