// What the engines of `pieces` share: the hashes of a range's pieces and the outcome made of them.
#pragma once

#include <string>
#include <vector>

#include "workload/pacer.h"
#include "workload/sha1.h"
#include "workload/torrent.h"
#include "workload/workload.h"

namespace mmapscope {

class Pieces : public Workload {
  public:
    Result<Outcome> outcome(std::span<Workload* const> all) const override;

  protected:
    /// Parameters are resolved.
    Pieces(const WorkloadInput& input, const Parameters& parameters);

    /// To be asked before bytes are hashed. Error: changed, when they are more than the range holds.
    [[nodiscard]] Status expect(std::size_t bytes);
    /// The next piece's; there is room for those of all bytes that were expected.
    void addHash(const Sha1::Digest& digest) { hashes_[done_++] = digest; }
    [[nodiscard]] Status advance(std::size_t bytes) { return pacer_.advance(bytes); }
    [[nodiscard]] std::size_t pieceSize() const { return content_.piece.size(); }
    /// Bytes of the range that are still to come.
    [[nodiscard]] std::uint64_t rest() const { return rest_; }
    [[nodiscard]] static Status hashFailed();

  private:
    Pacer pacer_;
    TorrentContent content_;
    std::string torrent_;  ///< where the metainfo is to be written; empty: nowhere
    std::uint64_t rest_;
    std::vector<Sha1::Digest> hashes_;
    std::size_t done_ = 0;
};

}  // namespace mmapscope
