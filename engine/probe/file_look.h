// What looking at a file and looking at a folder share.
#pragma once

#include <fmt/format.h>
#include <sys/stat.h>

#include <string>
#include <string_view>

#include "core/text.h"
#include "probe/file_facts.h"

namespace mmapscope::look {

inline tl::unexpected<Error> refuse(const std::string& path, std::string_view why) {
    return fail(ErrorKind::input, fmt::format("{}: {}", printable(path), why));
}

/// stat(2) failed.
[[nodiscard]] tl::unexpected<Error> explainMissing(const std::string& path, int errnum);
/// open(2) failed.
[[nodiscard]] tl::unexpected<Error> explainOpen(const std::string& path, const struct stat& st, int errnum);
/// Error: input, for a path that can't name anything.
[[nodiscard]] Status checkPath(const std::string& path);
[[nodiscard]] std::string absolutePath(const std::string& path);
/// Whether the kernel tells us residency: the owner, or CAP_FOWNER.
[[nodiscard]] bool isOwned(const struct stat& st);
[[nodiscard]] FileStamp stampFrom(const struct stat& st);
/// Filesystem, mount and storage of what is open at `fd`; facts.path and facts.stamp are known.
void addMount(FileFacts& facts, int fd);
/// A filesystem whose files are made as they are read.
[[nodiscard]] bool isKernelFilesystem(std::string_view filesystem);

}  // namespace mmapscope::look
