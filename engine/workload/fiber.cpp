#include "workload/fiber.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "core/units.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace mmapscope {
namespace {

/// Room for what a library calls and for the unwinding of an exception; pages that aren't used cost nothing.
constexpr std::size_t kStack = std::size_t{256} << 10U;

tl::unexpected<Error> noStack(int errnum) {
    return failErrno(ErrorKind::unavailable, "mapping a stack of 256 KiB", errnum);
}

}  // namespace

Result<std::unique_ptr<Fiber>> Fiber::make(std::function<void()> body) {
    auto fiber = std::unique_ptr<Fiber>(new Fiber(std::move(body)));
    if (auto status = fiber->begin(); !status) {
        return tl::unexpected(status.error());
    }
    return fiber;
}

Status Fiber::begin() {
    // The lowest page stays unreadable: an overflow is a fault, not another object's end.
    bytes_ = kStack + pageSize().size();
    void* const memory =
        ::mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        return noStack(errno);
    }
    memory_ = memory;
    char* const stack = static_cast<char*>(memory_) + pageSize().size();
    if (::mprotect(stack, kStack, PROT_READ | PROT_WRITE) != 0) {
        return noStack(errno);
    }
    ::getcontext(&own_);
    own_.uc_stack.ss_sp = stack;
    own_.uc_stack.ss_size = kStack;
    own_.uc_link = &caller_;
    ownSide_.stack = stack;
    ownSide_.bytes = kStack;
    // makecontext(3) hands on ints.
    const auto self = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(this));
    ::makecontext(&own_, reinterpret_cast<void (*)()>(&Fiber::enter), 2, static_cast<unsigned>(self >> 32U),
                  static_cast<unsigned>(self));
#if defined(__SANITIZE_THREAD__)
    ownSide_.thread = __tsan_create_fiber(0);
#endif
    return {};
}

Fiber::~Fiber() {
#if defined(__SANITIZE_THREAD__)
    if (ownSide_.thread != nullptr) {
        __tsan_destroy_fiber(ownSide_.thread);
    }
#endif
    if (memory_ != nullptr) {
        ::munmap(memory_, bytes_);
    }
}

void Fiber::resume() {
    begun_ = true;
#if defined(__SANITIZE_THREAD__)
    callerSide_.thread = __tsan_get_current_fiber();
#endif
    leave(callerSide_, ownSide_, false);
    ::swapcontext(&caller_, &own_);
    arrive(callerSide_, nullptr);
}

void Fiber::pause() {
    leave(ownSide_, callerSide_, false);
    ::swapcontext(&own_, &caller_);
    arrive(ownSide_, &callerSide_);
}

void Fiber::enter(unsigned high, unsigned low) {
    const std::uint64_t address = (static_cast<std::uint64_t>(high) << 32U) | low;
    auto* const self = reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(address));
    arrive(self->ownSide_, &self->callerSide_);
    self->body_();
    self->ended_ = true;
    leave(self->ownSide_, self->callerSide_, true);
}

void Fiber::leave([[maybe_unused]] Side& from, [[maybe_unused]] const Side& to,
                  [[maybe_unused]] bool forGood) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(forGood ? nullptr : &from.fakeStack, to.stack, to.bytes);
#endif
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(to.thread, 0);
#endif
}

void Fiber::arrive([[maybe_unused]] const Side& at, [[maybe_unused]] Side* from) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(at.fakeStack, from == nullptr ? nullptr : &from->stack,
                                    from == nullptr ? nullptr : &from->bytes);
#endif
}

}  // namespace mmapscope
