// Where a slow-motion replay is. Told the time by its owner, so that it can be tested without waiting.
#pragma once

#include <algorithm>

namespace mmapscope {

class ReplayClock {
  public:
    /// Fits the whole into this many seconds for slowdown 0.
    static constexpr double kFitSeconds = 10;

    /// From the beginning. `length`: seconds of the longest run; `slowdown`: 10 is ten times slower, 0 fits.
    void start(double length, double slowdown) {
        length_ = length;
        position_ = 0;
        setSlowdown(slowdown);
        playing_ = length > 0;
    }
    void setSlowdown(double slowdown) {
        slowdown_ = slowdown > 0 ? slowdown : length_ > 0 ? kFitSeconds / length_ : 1;
    }
    /// `elapsed`: seconds since the last call. Stops by itself at the end.
    void advance(double elapsed) {
        if (playing_) {
            seek(position_ + elapsed / slowdown_);
            playing_ = position_ < length_;
        }
    }
    void seek(double seconds) { position_ = std::clamp(seconds, 0.0, length_); }
    void pause() { playing_ = false; }
    /// From where it is, or from the beginning again once it has ended.
    void resume() {
        if (position_ >= length_) {
            position_ = 0;
        }
        playing_ = length_ > 0;
    }

    [[nodiscard]] double position() const { return position_; }
    [[nodiscard]] double length() const { return length_; }
    [[nodiscard]] double slowdown() const { return slowdown_; }
    [[nodiscard]] bool isPlaying() const { return playing_; }
    [[nodiscard]] bool atEnd() const { return position_ >= length_; }

  private:
    double length_ = 0;
    double position_ = 0;
    double slowdown_ = 1;
    bool playing_ = false;
};

}  // namespace mmapscope
