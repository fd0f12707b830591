// A function on a stack of its own, which gives control back in the middle of its work: for libraries that
// fetch their bytes themselves, where bytes come in spans.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>

#include "core/result.h"

namespace mmapscope {

class Fiber {
  public:
    /// `body` must not let an exception out, and must have returned before the fiber is destroyed if it ever
    /// began. Error: unavailable (no memory for the stack).
    [[nodiscard]] static Result<std::unique_ptr<Fiber>> make(std::function<void()> body);
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    /// Begins the body or goes on with it, until it pauses or returns; always on the same thread.
    /// Precondition: it has not returned.
    [[gnu::no_sanitize("thread")]] void resume();
    /// Called by the body: returns with the next resume().
    [[gnu::no_sanitize("thread")]] void pause();

    [[nodiscard]] bool begun() const { return begun_; }
    [[nodiscard]] bool ended() const { return ended_; }

  private:
    /// What a sanitizer has to be told when the stack changes.
    struct Side {
        void* fakeStack = nullptr;
        const void* stack = nullptr;
        std::size_t bytes = 0;
        void* thread = nullptr;
    };

    explicit Fiber(std::function<void()> body) : body_(std::move(body)) {}
    [[nodiscard]] Status begin();
    // The thread sanitizer counts calls and returns for each stack by itself, so those that leave one stack
    // and arrive on the other are not to be counted.
    [[gnu::no_sanitize("thread")]] static void enter(unsigned high, unsigned low);
    [[gnu::no_sanitize("thread")]] static void leave(Side& from, const Side& to, bool forGood);
    [[gnu::no_sanitize("thread")]] static void arrive(const Side& at, Side* from);

    std::function<void()> body_;
    void* memory_ = nullptr;
    std::size_t bytes_ = 0;
    bool begun_ = false;
    bool ended_ = false;
    ucontext_t own_{};
    ucontext_t caller_{};
    Side ownSide_;
    Side callerSide_;
};

}  // namespace mmapscope
