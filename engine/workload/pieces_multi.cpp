#include "workload/pieces_multi.h"

#include <algorithm>
#include <utility>

namespace mmapscope {
namespace {

/// What a lane takes at once: small enough that work follows the bytes consumed, long enough that a call's
/// cost (the states' loading) doesn't show.
constexpr std::size_t kLaneStep = std::size_t{16} << 10U;

/// Pieces that are hashed together: as many as there are lanes, as long as the buffer stays small.
std::size_t groupOf(Bytes piece, std::size_t lanes) {
    const std::uint64_t held = kLongestMultiPiece * 2 / piece;
    return static_cast<std::size_t>(std::min<std::uint64_t>(held, lanes));
}

}  // namespace

bool multiPiecesWorthIt(Bytes piece) {
    return piece <= kLongestMultiPiece &&
           bestSha1Lanes(groupOf(piece, bestSha1Lanes(kMaxSha1Lanes).lanes)).lanes > 1;
}

MultiPieces::MultiPieces(const WorkloadInput& input, const Parameters& parameters, const Sha1Lanes* only)
    : Pieces(input, parameters), group_(0), ending_({}, pieceSize()) {
    for (std::size_t i = 0; i < best_.size(); ++i) {
        best_[i] = only != nullptr ? only : &bestSha1Lanes(i + 1);
    }
    group_ = groupOf(Bytes(pieceSize()), best_.back()->lanes);
    // Zeroed, so that its pages are there before the clock starts: for every arm, whether it comes to use it
    // or not. A range shorter than a group never fills it.
    const std::size_t room =
        static_cast<std::size_t>(std::min<std::uint64_t>(group_ * pieceSize(), input.range.length().count()));
    staged_ = std::make_unique<std::byte[]>(room);
    countHeap(room);
}

void MultiPieces::lookAhead(std::span<const std::byte> bytes) {
    view_ = bytes;
    consumed_ = 0;
}

Status MultiPieces::consume(std::span<const std::byte> bytes) {
    if (bytes.empty()) {
        return {};
    }
    const std::uint64_t left = rest();
    if (auto status = expect(bytes.size()); !status) {
        return status;
    }
    if (view_.empty()) {
        lookAhead(bytes);
    }
    if (consumed_ == 0) {
        view_ = view_.first(static_cast<std::size_t>(std::min<std::uint64_t>(view_.size(), left)));
        beginView();
    }
    consumed_ += bytes.size();
    // Of the view's work as large a part as of its bytes, so that progress, cancel and stamps stay true.
    const std::uint64_t work = toHash_ * pieceSize();
    if (auto status = hashUpTo(consumed_ == view_.size() ? work : work * consumed_ / view_.size()); !status) {
        return status;
    }
    return consumed_ == view_.size() ? endView() : Status();
}

void MultiPieces::beginView() {
    // The piece that the buffer ends in goes on in the buffer.
    const std::size_t begun = stagedSize_ % pieceSize();
    const std::size_t missing = begun == 0 ? 0 : std::min(pieceSize() - begun, view_.size());
    stage(view_.first(missing));
    direct_ = view_.subspan(missing);
    stagedPieces_ = stagedSize_ / pieceSize();
    const std::size_t complete = stagedPieces_ + direct_.size() / pieceSize();
    toHash_ = complete - complete % group_;
    next_ = 0;
    worked_ = 0;
}

void MultiPieces::stage(std::span<const std::byte> bytes) {
    std::copy(bytes.begin(), bytes.end(), staged_.get() + stagedSize_);
    stagedSize_ += bytes.size();
}

Status MultiPieces::endView() {
    // Groups are at least as long as what the buffer held: with one, the buffer is used up.
    if (toHash_ > 0) {
        direct_ = direct_.subspan((toHash_ - stagedPieces_) * pieceSize());
        stagedSize_ = 0;
    }
    const std::size_t kept = direct_.size();
    stage(direct_);
    view_ = {};
    direct_ = {};
    return advance(kept);
}

Status MultiPieces::hashUpTo(std::uint64_t work) {
    while (worked_ < work) {
        if (batch_.pieces == 0) {
            beginBatch();
        }
        const std::size_t step = std::min(kLaneStep, pieceSize() - batch_.hashed);
        const std::size_t hashed = step * batch_.pieces;
        batch_.advance(states_, step);
        if (batch_.hashed == pieceSize()) {
            endBatch();
        }
        worked_ += hashed;
        if (auto status = advance(hashed); !status) {
            return status;
        }
    }
    return {};
}

void MultiPieces::beginBatch() {
    const std::size_t left = std::min(group_, toHash_ - next_);
    batch_.lanes = best_[left - 1];
    batch_.pieces = std::min(left, batch_.lanes->lanes);
    batch_.hashed = 0;
    for (std::size_t i = 0; i < batch_.lanes->lanes; ++i) {
        // Lanes without a piece of their own hash the first one again.
        const std::size_t index = next_ + (i < batch_.pieces ? i : 0);
        batch_.at[i] = index < stagedPieces_ ? staged_.get() + index * pieceSize()
                                             : direct_.data() + (index - stagedPieces_) * pieceSize();
    }
    next_ += batch_.pieces;
    states_.reset();
}

void MultiPieces::Batch::advance(Sha1States& states, std::size_t bytes) {
    lanes->advance(states, at.data(), bytes / kSha1Block);
    for (const std::byte*& from : at) {
        from += bytes;
    }
    hashed += bytes;
}

void MultiPieces::endBatch() {
    batch_.at.fill(ending_.data());
    batch_.lanes->advance(states_, batch_.at.data(), ending_.blocks());
    for (std::size_t i = 0; i < batch_.pieces; ++i) {
        addHash(states_.digest(i));
    }
    batch_.pieces = 0;
}

Status MultiPieces::finish() {
    stagedPieces_ = stagedSize_ / pieceSize();
    toHash_ = stagedPieces_;
    next_ = 0;
    worked_ = 0;
    if (auto status = hashUpTo(stagedPieces_ * pieceSize()); !status) {
        return status;
    }
    const std::size_t length = stagedSize_ - stagedPieces_ * pieceSize();
    return length == 0 ? Status() : hashShortPiece({staged_.get() + stagedPieces_ * pieceSize(), length});
}

Status MultiPieces::hashShortPiece(std::span<const std::byte> bytes) {
    const std::size_t rest = bytes.size() % kSha1Block;
    const Sha1Ending ending(bytes.last(rest), bytes.size());
    batch_.lanes = best_.front();
    batch_.at.fill(bytes.data());
    batch_.hashed = 0;
    states_.reset();
    while (batch_.hashed < bytes.size() - rest) {
        const std::size_t step = std::min(kLaneStep, bytes.size() - rest - batch_.hashed);
        batch_.advance(states_, step);
        if (auto status = advance(step); !status) {
            return status;
        }
    }
    batch_.at.fill(ending.data());
    batch_.lanes->advance(states_, batch_.at.data(), ending.blocks());
    addHash(states_.digest(0));
    return {};
}

}  // namespace mmapscope
