#include "report/study_text.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "core/text.h"
#include "core/unique_fd.h"
#include "report/study_format.h"

namespace mmapscope {
namespace {

constexpr int kLevel = 3;
constexpr std::string_view kZstd = "\x28\xb5\x2f\xfd";
constexpr std::size_t kFirstText = 256;
constexpr std::size_t kFirstRoom = 1U << 20U;

struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

Status readAll(int fd, StudyText& text, std::size_t bytes) {
    if (Status room = text.reserve(bytes); !room) {
        return room;
    }
    std::size_t have = 0;
    while (have < bytes) {
        const ssize_t got = ::read(fd, text.data() + have, bytes - have);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return failErrno(ErrorKind::input, "it can't be read", errno);
        }
        if (got == 0) {
            break;
        }
        have += static_cast<std::size_t>(got);
    }
    text.setSize(have);
    return {};
}

tl::unexpected<Error> tooLarge(Bytes most) {
    return fail(ErrorKind::input,
                fmt::format("it holds more than the {} of text that a study has at most", formatBytes(most)));
}

/// One frame after the other.
Result<StudyText> decompressed(std::string_view frames, Bytes most) {
    const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
    StudyText text;
    if (context == nullptr) {
        return fail(ErrorKind::failed, "no memory to decompress it");
    }
    const unsigned long long told = ZSTD_getFrameContentSize(frames.data(), frames.size());
    const bool isTold = told != ZSTD_CONTENTSIZE_UNKNOWN && told != ZSTD_CONTENTSIZE_ERROR;
    if (isTold && told > most.count()) {
        return tooLarge(most);
    }
    ZSTD_inBuffer in{frames.data(), frames.size(), 0};
    std::size_t have = 0, left = 1;
    // A size that was told is room that is asked for, not memory that is used.
    if (Status room = text.reserve(isTold ? static_cast<std::size_t>(told) + 1 : kFirstRoom); !room) {
        return tl::unexpected(room.error());
    }
    while (in.pos < in.size || left == 0) {
        if (have == text.capacity()) {
            if (have > most.count()) {
                return tooLarge(most);
            }
            if (Status room = text.reserve(have * 2); !room) {
                return tl::unexpected(room.error());
            }
        }
        ZSTD_outBuffer out{text.data(), text.capacity(), have};
        const std::size_t before = in.pos;
        left = ZSTD_decompressStream(context.get(), &out, &in);
        if (ZSTD_isError(left) != 0) {
            return fail(ErrorKind::input,
                        fmt::format("its zstd frame is damaged ({}); get a whole copy of it",
                                    ZSTD_getErrorName(left)));
        }
        const bool idle = out.pos == have && in.pos == before;
        have = out.pos;
        if (have > most.count()) {
            return tooLarge(most);
        }
        if (idle || (left == 0 && in.pos == in.size)) {
            break;
        }
    }
    if (left != 0) {
        return fail(ErrorKind::input, "its zstd frame ends in the middle; get a whole copy of it");
    }
    text.setSize(have);
    return text;
}

}  // namespace

StudyText::StudyText(StudyText&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)),
      released_(std::exchange(other.released_, 0)) {}

StudyText& StudyText::operator=(StudyText&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(released_, other.released_);
    return *this;
}

StudyText::~StudyText() {
    if (data_ != nullptr) {
        ::munmap(data_, capacity_);
    }
}

Status StudyText::reserve(std::size_t capacity) {
    const std::size_t wanted = roundUp(Bytes(std::max<std::size_t>(capacity, 1)), pageSize()).count();
    if (wanted <= capacity_) {
        return {};
    }
    void* const memory = data_ == nullptr ? ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE,
                                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                          : ::mremap(data_, capacity_, wanted, MREMAP_MAYMOVE);
    if (memory == MAP_FAILED) {
        return failErrno(ErrorKind::failed, fmt::format("no memory for {} of it", formatBytes(Bytes(wanted))),
                         errno);
    }
    data_ = static_cast<char*>(memory);
    capacity_ = wanted;
    return {};
}

void StudyText::release(std::size_t upTo) {
    const std::size_t page = pageSize().count();
    const std::size_t end = std::min(upTo, size_) / page * page;
    if (end > released_) {
        (void)::madvise(data_ + released_, end - released_, MADV_DONTNEED);
        released_ = end;
    }
}

Result<StudyText> readStudyText(const std::string& path, Bytes most) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd) {
        return failErrno(ErrorKind::input, printable(path) + " can't be opened", errno);
    }
    struct stat facts {};
    if (::fstat(fd.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
        return fail(ErrorKind::input, printable(path) + " is not a regular file, so it is no study");
    }
    const auto told = [&](const Error& error) {
        return fail(error.kind, fmt::format("{}: {}", printable(path), error.message));
    };
    const auto bytes = static_cast<std::size_t>(facts.st_size);
    if (bytes > most.count()) {
        return told(tooLarge(most).value());
    }
    StudyText text;
    if (const Status read = readAll(fd.get(), text, bytes); !read) {
        return told(read.error());
    }
    if (!text.view().starts_with(kZstd)) {
        return text;
    }
    auto plain = decompressed(text.view(), most);
    if (!plain) {
        return told(plain.error());
    }
    return plain;
}

bool beginsAsStudy(std::string_view head) {
    std::string plain(head);
    if (head.starts_with(kZstd)) {
        const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
        plain.resize(kFirstText);
        ZSTD_inBuffer in{head.data(), head.size(), 0};
        ZSTD_outBuffer out{plain.data(), plain.size(), 0};
        if (context == nullptr || ZSTD_isError(ZSTD_decompressStream(context.get(), &out, &in)) != 0) {
            return false;
        }
        plain.resize(out.pos);
    }
    return !plain.empty() && plain.front() == '{' && plain.find(kStudyFormat) != std::string::npos;
}

Result<std::string> compressed(std::string_view text) {
    const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
    if (context == nullptr) {
        return fail(ErrorKind::failed, "no memory to compress the study");
    }
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
    std::string out(ZSTD_compressBound(text.size()), '\0');
    const std::size_t size = ZSTD_compress2(context.get(), out.data(), out.size(), text.data(), text.size());
    if (ZSTD_isError(size) != 0) {
        return fail(ErrorKind::failed,
                    fmt::format("the study can't be compressed: {}", ZSTD_getErrorName(size)));
    }
    out.resize(size);
    return out;
}

}  // namespace mmapscope
