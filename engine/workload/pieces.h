// What the engines of `pieces` share: the hashes of a range's pieces and the outcome made of them.
#pragma once

#include <string>
#include <vector>

#include "workload/pacer.h"
#include "workload/sha1.h"
#include "workload/workload.h"

namespace mmapscope {

class Pieces : public Workload {
  public:
    Result<Outcome> outcome(std::span<Workload* const> all) const override;

  protected:
    /// `piece` is a power of two, at least 16 KiB.
    Pieces(const WorkloadInput& input, Bytes piece, std::string name);

    /// To be asked before bytes are hashed. Error: changed, when they are more than the range holds.
    [[nodiscard]] Status expect(std::size_t bytes);
    /// The next piece's; there is room for those of all bytes that were expected.
    void addHash(const Sha1::Digest& digest) { hashes_[done_++] = digest; }
    [[nodiscard]] Status advance(std::size_t bytes) { return pacer_.advance(bytes); }
    [[nodiscard]] std::size_t pieceSize() const { return piece_.size(); }
    /// Bytes of the range that are still to come.
    [[nodiscard]] std::uint64_t rest() const { return rest_; }
    [[nodiscard]] static Status hashFailed();

  private:
    Pacer pacer_;
    Bytes whole_;
    Bytes piece_;
    std::uint64_t rest_;
    std::string name_;
    std::vector<Sha1::Digest> hashes_;
    std::size_t done_ = 0;
};

}  // namespace mmapscope
