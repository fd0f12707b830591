// pieces, engine multi: the pieces of a group are hashed side by side, each in a lane of its own.
//
// Lanes need the bytes of all pieces of their group at once. Where a span holds a whole group, they are read
// in place; what a span has too little of is gathered in a buffer until the group is complete.
#pragma once

#include <array>
#include <memory>

#include "workload/pieces.h"
#include "workload/sha1_lanes.h"

namespace mmapscope {

/// Of which the buffer still holds two.
inline constexpr Bytes kLongestMultiPiece = mib(16);

/// Whether groups of pieces this long hash faster than one piece after the other on this CPU.
[[nodiscard]] bool multiPiecesWorthIt(Bytes piece);

class MultiPieces final : public Pieces {
  public:
    /// A piece is at most kLongestMultiPiece; `only`: instead of the best implementation for each number of
    /// pieces.
    MultiPieces(const WorkloadInput& input, const Parameters& parameters, const Sha1Lanes* only = nullptr);

    void lookAhead(std::span<const std::byte> bytes) override;
    [[nodiscard]] Status consume(std::span<const std::byte> bytes) override;
    [[nodiscard]] Status finish() override;

  private:
    /// Pieces being hashed together, all of them as far as the others.
    struct Batch {
        const Sha1Lanes* lanes = nullptr;
        std::size_t pieces = 0;  ///< 0: none is being hashed
        std::size_t hashed = 0;  ///< bytes of each
        std::array<const std::byte*, kMaxSha1Lanes> at{};

        void advance(Sha1States& states, std::size_t bytes);
    };

    void beginView();
    [[nodiscard]] Status endView();
    /// Until so many bytes of the complete groups are hashed.
    [[nodiscard]] Status hashUpTo(std::uint64_t work);
    void beginBatch();
    void endBatch();
    [[nodiscard]] Status hashShortPiece(std::span<const std::byte> bytes);
    void stage(std::span<const std::byte> bytes);

    std::array<const Sha1Lanes*, kMaxSha1Lanes> best_{};  ///< for one piece, two, …
    std::size_t group_;                                   ///< pieces hashed together
    Sha1Ending ending_;                                   ///< of every piece but the short one
    Sha1States states_;
    Batch batch_;

    std::unique_ptr<std::byte[]> staged_;  ///< room for a group; begins with a piece
    std::size_t stagedSize_ = 0;

    std::span<const std::byte> view_;    ///< stays readable until all of it is consumed; empty: none
    std::size_t consumed_ = 0;           ///< of the view
    std::span<const std::byte> direct_;  ///< the view from its first piece border on
    std::size_t stagedPieces_ = 0;       ///< complete pieces in the buffer; those of direct_ follow them
    std::size_t toHash_ = 0;             ///< pieces in complete groups, of the buffer and the view
    std::size_t next_ = 0;               ///< the first of them that isn't in a batch yet
    std::uint64_t worked_ = 0;           ///< bytes of them hashed
};

}  // namespace mmapscope
