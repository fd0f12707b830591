#include "corpus/content.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/accounting.h"
#include "core/text.h"
#include "corpus/random.h"
#include "corpus/tick_rows.h"
#include "workload/tick_schema.h"

namespace mmapscope {
namespace {

constexpr std::size_t kStripe = 4096;  // of the file's bytes, not of this machine's pages

/// Where part `index` (from 0) of `parts` begins, when `size` is shared out evenly.
std::uint64_t partBegin(Bytes size, unsigned index, unsigned parts) {
    return static_cast<std::uint64_t>(static_cast<Uint128>(size.count()) * index / parts);
}

class Stripes final : public Content {
  public:
    explicit Stripes(const CorpusRequest& request)
        : random_(request.seed), size_(request.size), parts_(request.frames), block_(kContentBlock.size()) {}

    [[nodiscard]] std::span<const char> next() override {
        while (part_ < parts_ && partBegin(size_, part_, parts_) <= done_) {
            ++part_;
        }
        const std::uint64_t end = part_ == parts_ ? size_.count() : partBegin(size_, part_, parts_);
        const std::size_t length = std::min<std::uint64_t>(block_.size(), end - done_);
        for (std::size_t filled = 0; filled < length;) {
            const std::size_t inStripe = (done_ + filled) % kStripe;
            if (inStripe == 0 && (done_ + filled) / kStripe % 2 == 0) {
                refill();
            }
            const std::size_t n = std::min(kStripe - inStripe, length - filled);
            const bool noise = (done_ + filled) / kStripe % 2 == 0;
            if (noise) {
                std::memcpy(block_.data() + filled, noise_.data() + inStripe, n);
            } else {
                std::memset(block_.data() + filled, 0xAB, n);
            }
            filled += n;
        }
        done_ += length;
        return {block_.data(), length};
    }

  private:
    void refill() noexcept {
        for (std::size_t i = 0; i < kStripe; i += sizeof(std::uint64_t)) {
            std::uint64_t word = random_.next();
            for (std::size_t byte = 0; byte < sizeof word; ++byte) {
                noise_[i + byte] = static_cast<char>(word);
                word >>= 8U;
            }
        }
    }

    Random random_;
    Bytes size_;
    unsigned parts_;
    unsigned part_ = 0;
    std::uint64_t done_ = 0;
    std::array<char, kStripe> noise_{};
    std::vector<char> block_;
};

class Ticks final : public Content {
  public:
    Ticks(const CorpusRequest& request, const TickSchema& schema, RowWriter writer)
        : market_(request.seed),
          writer_(writer),
          size_(request.size),
          parts_(request.frames),
          block_(kContentBlock.size()) {
        if (schema.usualHeader) {
            for (const TickColumn& column : schema.columns) {
                header_ += (header_.empty() ? "" : ",") + column.name;
            }
            header_ += '\n';
        }
    }

    [[nodiscard]] std::span<const char> next() override {
        while (part_ < parts_ && partBegin(size_, part_, parts_) <= done_) {
            ++part_;
        }
        const std::uint64_t partEnd = part_ == parts_ ? size_.count() : partBegin(size_, part_, parts_);
        char* out = block_.data();
        const char* const full = out + block_.size() - std::max(kMostRowBytes, header_.size());
        while (out <= full && !over_) {
            const std::uint64_t before = done_ + static_cast<std::uint64_t>(out - block_.data());
            if (before >= partEnd && before > done_) {
                break;
            }
            char* const end = before == 0 && !headerDone_ ? putHeader(out) : putRow(out);
            if (before + static_cast<std::uint64_t>(end - out) > size_.count()) {
                over_ = true;
                break;
            }
            out = end;
        }
        const auto length = static_cast<std::size_t>(out - block_.data());
        done_ += length;
        return {block_.data(), length};
    }

  private:
    char* putHeader(char* out) noexcept {
        headerDone_ = true;
        if (header_.empty()) {
            return putRow(out);
        }
        std::memcpy(out, header_.data(), header_.size());
        return out + header_.size();
    }
    char* putRow(char* out) noexcept {
        market_.advance();
        return writer_(out, market_);
    }

    Market market_;
    RowWriter writer_;
    std::string header_;
    Bytes size_;
    unsigned parts_;
    unsigned part_ = 0;
    std::uint64_t done_ = 0;
    bool headerDone_ = false;
    bool over_ = false;
    std::vector<char> block_;
};

}  // namespace

Result<std::unique_ptr<Content>> makeContent(const CorpusRequest& request) {
    if (request.kind != CorpusKind::ticks) {
        return std::make_unique<Stripes>(request);
    }
    const auto schema = parseTickSchema(request.schema);
    if (!schema) {
        return tl::unexpected(schema.error());
    }
    const RowWriter writer = rowWriterFor(schema->name);
    if (writer == nullptr) {
        return fail(ErrorKind::usage,
                    fmt::format("schema={}: a corpus is made of a schema known by name, such as generic",
                                printable(request.schema)));
    }
    return std::make_unique<Ticks>(request, *schema, writer);
}

Result<std::vector<Bytes>> partSizes(const CorpusRequest& request, const std::stop_token& stop) {
    std::vector<Bytes> sizes;
    sizes.reserve(request.frames);
    if (request.kind != CorpusKind::ticks) {
        for (unsigned i = 0; i < request.frames; ++i) {
            sizes.emplace_back(partBegin(request.size, i + 1, request.frames) -
                               partBegin(request.size, i, request.frames));
        }
        return sizes;
    }
    auto content = makeContent(request);
    if (!content) {
        return tl::unexpected(content.error());
    }
    std::uint64_t done = 0;
    std::uint64_t begin = 0;
    while (true) {
        const std::size_t length = (*content)->next().size();
        done += length;
        while (sizes.size() + 1 < request.frames &&
               (length == 0 ||
                done >= partBegin(request.size, static_cast<unsigned>(sizes.size()) + 1, request.frames))) {
            sizes.emplace_back(done - begin);
            begin = done;
        }
        if (length == 0) {
            sizes.emplace_back(done - begin);
            return sizes;
        }
        if (const auto status = checkpoint(stop); !status) {
            return tl::unexpected(status.error());
        }
    }
}

}  // namespace mmapscope
