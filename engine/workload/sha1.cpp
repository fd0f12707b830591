#include "workload/sha1.h"

#include <fmt/format.h>

namespace mmapscope {

Result<Sha1> Sha1::make() {
    Sha1 sha1(EVP_MD_fetch(nullptr, "SHA1", nullptr), EVP_MD_CTX_new());
    if (!sha1.method_ || !sha1.context_ || !sha1.restart()) {
        return fail(ErrorKind::unavailable,
                    "this system's libcrypto doesn't provide SHA-1 (its configuration may allow approved "
                    "digests only)");
    }
    return sha1;
}

std::string hexOf(const Sha1::Digest& digest) {
    std::string text;
    text.reserve(digest.size() * 2);
    for (const std::byte b : digest) {
        fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned>(b));
    }
    return text;
}

}  // namespace mmapscope
