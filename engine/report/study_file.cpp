#include "report/study_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/text.h"
#include "core/unique_fd.h"

namespace mmapscope {

Status saveStudy(const Study& study, const std::string& path) {
    if (auto keeps = checkKeepsMeasured(path, study.plan.file); !keeps) {
        return keeps;
    }
    return writeFileAtomically(path, studyToJson(study));
}

Result<Study> loadStudy(const std::string& path) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd) {
        return failErrno(ErrorKind::input, printable(path) + " can't be opened", errno);
    }
    struct stat facts {};
    if (::fstat(fd.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
        return fail(ErrorKind::input, printable(path) + " is not a regular file, so it is no study");
    }
    std::string text(static_cast<std::size_t>(facts.st_size), '\0');
    std::size_t have = 0;
    while (have < text.size()) {
        const ssize_t got = ::read(fd.get(), text.data() + have, text.size() - have);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return failErrno(ErrorKind::input, printable(path) + " can't be read", errno);
        }
        if (got == 0) {
            break;
        }
        have += static_cast<std::size_t>(got);
    }
    text.resize(have);
    auto study = studyFromJson(text);
    if (!study) {
        return fail(ErrorKind::input, fmt::format("{}: {}", printable(path), study.error().message));
    }
    return study;
}

}  // namespace mmapscope
