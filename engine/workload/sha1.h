// SHA-1 through OpenSSL's EVP, set up once so that hashing itself looks nothing up.
#pragma once

#include <openssl/evp.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "core/result.h"

namespace mmapscope {

class Sha1 {
  public:
    using Digest = std::array<std::byte, 20>;

    /// Error: unavailable, where this libcrypto's configuration forbids SHA-1.
    [[nodiscard]] static Result<Sha1> make();

    /// Once a piece, not once a span: OpenSSL 3.0 makes its ~100-byte state anew here, whatever it is called
    /// with.
    [[nodiscard]] bool restart() { return EVP_DigestInit_ex2(context_.get(), method_.get(), nullptr) == 1; }
    [[nodiscard]] bool update(std::span<const std::byte> bytes) {
        return EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1;
    }
    [[nodiscard]] bool finish(Digest& into) {
        return EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(into.data()), nullptr) ==
               1;
    }

  private:
    struct Free {
        void operator()(EVP_MD* method) const { EVP_MD_free(method); }
        void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
    };
    Sha1(EVP_MD* method, EVP_MD_CTX* context) : method_(method), context_(context) {}

    std::unique_ptr<EVP_MD, Free> method_;
    std::unique_ptr<EVP_MD_CTX, Free> context_;
};

[[nodiscard]] std::string hexOf(const Sha1::Digest& digest);

}  // namespace mmapscope
