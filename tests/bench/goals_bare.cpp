#include "bench/goals_bare.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <thread>

#include "core/accounting.h"
#include "core/unique_fd.h"
#include "corpus/content.h"
#include "source/heap_buffer.h"
#include "workload/tick_shape_book.h"
#include "workload/word_sum.h"

namespace mmapscope::bench {
namespace {

constexpr Bytes kBlock = kib(256);

/// Takes what was computed, so that no compiler leaves the computing out.
std::uint64_t volatile taken;

/// Runs on a thread of its own, as an arm does: a fresh thread's memory is fresh too.
template <class Loop>
Result<Elapsed> onThread(Loop loop) {
    Status status;
    Elapsed elapsed;
    std::thread([&] {
        const Stopwatch stopwatch;
        status = loop();
        elapsed = stopwatch.elapsed();
    }).join();
    if (!status) {
        return tl::unexpected(status.error());
    }
    return elapsed;
}

Status readAll(const std::string& path, Bytes size, bool sum) {
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    auto buffer = HeapBuffer::allocate(kBlock);
    if (!fd || !buffer) {
        return fd ? Status(tl::unexpected(buffer.error())) : failErrno(ErrorKind::failed, path, errno);
    }
    const auto sumWords = bestWordSum().sum;
    std::uint64_t total = 0;
    std::uint64_t done = 0;
    while (done < size.count()) {
        const ssize_t got = ::read(fd.get(), buffer->data(), kBlock.size());
        if (got <= 0) {
            return fail(ErrorKind::failed, path + " ended early");
        }
        if (sum) {
            total += sumWords(buffer->data(), static_cast<std::size_t>(got) / 8);
        }
        done += static_cast<std::uint64_t>(got);
    }
    taken = total;
    fd.reset();
    return {};
}

Status mapAll(const std::string& path, Bytes size) {
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) {
        return failErrno(ErrorKind::failed, path, errno);
    }
    void* const mapping = ::mmap(nullptr, size.size(), PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (mapping == MAP_FAILED) {
        return failErrno(ErrorKind::failed, path, errno);
    }
    taken = bestWordSum().sum(static_cast<const std::byte*>(mapping), size.size() / 8);
    ::munmap(mapping, size.size());
    return {};
}

constexpr BareLoop kLoops[] = {
    {"read 256 KiB", [](const std::string& path,
                        Bytes size) { return onThread([&] { return readAll(path, size, false); }); }},
    {"read 256 KiB, sum",
     [](const std::string& path, Bytes size) { return onThread([&] { return readAll(path, size, true); }); }},
    {"mmap, sum",
     [](const std::string& path, Bytes size) { return onThread([&] { return mapAll(path, size); }); }},
};

std::uint64_t lineFeeds(const char* begin, const char* end) {
    std::uint64_t count = 0;
    while (begin < end) {
        const void* const found = std::memchr(begin, '\n', static_cast<std::size_t>(end - begin));
        if (found == nullptr) {
            break;
        }
        ++count;
        begin = static_cast<const char*>(found) + 1;
    }
    return count;
}

struct BufferLoop {
    std::string_view name;
    std::uint64_t (*run)(const char* begin, const char* end);
};
constexpr BufferLoop kBufferLoops[] = {
    {"memchr for line feeds", lineFeeds},
    {"sum of words",
     [](const char* begin, const char* end) {
         const void* const first = begin;
         return bestWordSum().sum(static_cast<const std::byte*>(first),
                                  static_cast<std::size_t>(end - begin) / 8);
     }},
};

}  // namespace

const BareLoop* findBareLoop(std::string_view name) {
    const auto* const found = std::find_if(std::begin(kLoops), std::end(kLoops),
                                           [&](const BareLoop& loop) { return loop.name == name; });
    return found == std::end(kLoops) ? nullptr : found;
}

Result<TickBuffer> TickBuffer::make(const CorpusRequest& request, const std::stop_token& stop) {
    const TickSchema* const schema = findTickSchema(request.schema);
    auto content = makeContent(request);
    if (schema == nullptr || !content) {
        return content ? fail(ErrorKind::usage, "no schema " + request.schema)
                       : tl::unexpected(content.error());
    }
    TickBuffer buffer;
    buffer.data_.reset(new (std::nothrow) char[request.size.size() + kTickPadding]);
    if (!buffer.data_) {
        return fail(ErrorKind::unavailable, "no memory for the buffer of rows");
    }
    std::size_t filled = 0;
    bool header = schema->usualHeader;
    for (auto block = (*content)->next(); !block.empty(); block = (*content)->next()) {
        if (auto go = checkpoint(stop); !go) {
            return tl::unexpected(go.error());
        }
        if (header) {
            block = block.subspan(std::string_view(block.data(), block.size()).find('\n') + 1);
            header = false;
        }
        std::memcpy(buffer.data_.get() + filled, block.data(), block.size());
        filled += block.size();
    }
    std::memset(buffer.data_.get() + filled, 0, kTickPadding);
    buffer.size_ = Bytes(filled);
    buffer.plan_ = makeTickPlan(*schema);
    return buffer;
}

Result<Elapsed> TickBuffer::pass(std::string_view loop) const {
    const auto* const found = std::find_if(std::begin(kBufferLoops), std::end(kBufferLoops),
                                           [&](const BufferLoop& one) { return one.name == loop; });
    if (found == std::end(kBufferLoops)) {
        return fail(ErrorKind::usage, fmt::format("no loop {}", loop));
    }
    const Stopwatch stopwatch;
    taken = found->run(data_.get(), data_.get() + size_.size());
    return stopwatch.elapsed();
}

Result<Elapsed> TickBuffer::scan(std::string_view scanner) const {
    const auto& all = tickScanners();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const TickScanner* one) { return one->name == scanner; });
    if (found == all.end()) {
        return fail(ErrorKind::unavailable, fmt::format("no scanner {} in this build", scanner));
    }
    if (!(*found)->supported(plan_)) {
        return fail(ErrorKind::unavailable,
                    fmt::format("this CPU has not the instructions of the {} scanner", scanner));
    }
    TickTotals totals;
    const Stopwatch stopwatch;
    const auto book = (*found)->prepare(plan_);
    (*found)->scan(plan_, book.get(), data_.get(), data_.get() + size_.size(), 0, totals);
    const Elapsed elapsed = stopwatch.elapsed();
    if (totals.rejected != 0 || totals.rows != lineFeeds(data_.get(), data_.get() + size_.size())) {
        return fail(ErrorKind::failed,
                    fmt::format("the {} scanner counts {} rows and {} rejected ones, which "
                                "isn't what the buffer holds",
                                scanner, totals.rows, totals.rejected));
    }
    return elapsed;
}

}  // namespace mmapscope::bench
