#include "source/sigbus_guard.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>

namespace mmapscope::guard {
namespace {

// `version` is odd while the owner changes the slot, so that a handler or the sampler never sees half of a
// change. `users` counts handlers at work on the slot: leave() waits for them, so that no repair can hit
// whatever is mapped at the same address later. begin == 0 means free.
struct Slot {
    std::atomic<std::uint32_t> version{0};
    std::atomic<std::uint32_t> users{0};
    std::atomic<std::uintptr_t> begin{0};
    std::atomic<std::uintptr_t> end{0};
    std::atomic<MappingKind> kind{MappingKind::file};
    std::atomic<Damage> damage{Damage::none};
    std::atomic<int> protection{0};
};
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free &&
              std::atomic<MappingKind>::is_always_lock_free);

std::array<Slot, kSlots> slots;
std::atomic<int> highest{0};  // slots at or above it were never used
std::atomic<std::uintptr_t> basePage{0};
struct sigaction previous;

bool readSlot(const Slot& slot, MappedRange& out) noexcept {
    const std::uint32_t before = slot.version.load();
    if (before % 2 != 0) {
        return false;
    }
    out.begin = slot.begin.load();
    out.end = slot.end.load();
    out.kind = slot.kind.load();
    return out.begin != 0 && slot.version.load() == before;
}

bool holds(const Slot& slot, std::uintptr_t address, MappedRange& range) noexcept {
    return readSlot(slot, range) && range.begin <= address && address < range.end;
}

// Zero pages from the fault to the mapping's end: the code that was interrupted goes on, over data that the
// run throws away. By the bare system call, since a sanitizer's wrapper of mmap(2) is not made for signal
// handlers.
bool repair(Slot& slot, const MappedRange& range, std::uintptr_t address, int code) noexcept {
    const std::uintptr_t page =
        range.kind == MappingKind::hugePages ? kHugePage.size() : basePage.load(std::memory_order_relaxed);
    const std::uintptr_t from = std::max(address & ~(page - 1), range.begin);
    slot.damage.store(code == BUS_MCEERR_AR || code == BUS_MCEERR_AO ? Damage::hardware : Damage::missing);
    void* const where = reinterpret_cast<void*>(from);
    static_assert(sizeof(long) == sizeof(void*));
    const long result =
        syscall(SYS_mmap, where, range.end - from, static_cast<long>(slot.protection.load()),
                static_cast<long>(MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE), -1L, 0L);
    return result == static_cast<long>(from);
}

bool repairOurs(std::uintptr_t address, int code) noexcept {
    const int count = highest.load();
    for (int i = 0; i < count; ++i) {
        Slot& slot = slots[static_cast<std::size_t>(i)];
        MappedRange range;
        if (!holds(slot, address, range)) {
            continue;
        }
        slot.users.fetch_add(1);
        const bool repaired = holds(slot, address, range) && repair(slot, range, address, code);
        slot.users.fetch_sub(1);
        return repaired;
    }
    return false;
}

void passOn(int signal, siginfo_t* info, void* context) noexcept {
    if ((previous.sa_flags & SA_SIGINFO) != 0) {
        previous.sa_sigaction(signal, info, context);
        return;
    }
    // Someone's kill(2) has a code of 0 or less; a fault comes back by itself when its instruction runs
    // again.
    const bool fault = info->si_code > 0;
    if (previous.sa_handler == SIG_IGN && !fault) {
        return;
    }
    if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(signal);
        return;
    }
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    sigaction(signal, &standard, nullptr);
    if (!fault) {
        raise(signal);  // blocked until this handler returns
    }
}

void onSigbus(int signal, siginfo_t* info, void* context) {
    const int savedErrno = errno;
    if (info->si_code <= 0 || !repairOurs(reinterpret_cast<std::uintptr_t>(info->si_addr), info->si_code)) {
        passOn(signal, info, context);
    }
    errno = savedErrno;
}

bool claim(Slot& slot) noexcept {
    std::uint32_t seen = slot.version.load();
    return seen % 2 == 0 && slot.begin.load() == 0 && slot.version.compare_exchange_strong(seen, seen + 1);
}

}  // namespace

void install() noexcept {
    static std::once_flag once;
    std::call_once(once, [] {
        basePage.store(pageSize().size());
        struct sigaction ours {};
        ours.sa_sigaction = onSigbus;
        ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&ours.sa_mask);
        // Read first: a fault between the two calls must find a previous handler to go to.
        sigaction(SIGBUS, nullptr, &previous);
        sigaction(SIGBUS, &ours, nullptr);
    });
}

int enter(std::uintptr_t begin, std::uintptr_t end, MappingKind kind, int protection) noexcept {
    for (int i = 0; i < kSlots; ++i) {
        Slot& slot = slots[static_cast<std::size_t>(i)];
        if (!claim(slot)) {
            continue;
        }
        slot.begin.store(begin);
        slot.end.store(end);
        slot.kind.store(kind);
        slot.protection.store(protection);
        slot.damage.store(Damage::none);
        slot.version.fetch_add(1);
        int seen = highest.load();
        while (seen <= i && !highest.compare_exchange_weak(seen, i + 1)) {
        }
        return i;
    }
    return -1;
}

void leave(int slot) noexcept {
    Slot& mine = slots[static_cast<std::size_t>(slot)];
    mine.version.fetch_add(1);
    mine.begin.store(0);
    // Handlers that already counted themselves in finish first; later ones see begin == 0.
    while (mine.users.load() != 0) {
        sched_yield();
    }
    mine.version.fetch_add(1);
}

Damage damageOf(int slot) noexcept {
    return slots[static_cast<std::size_t>(slot)].damage.load(std::memory_order_relaxed);
}

}  // namespace mmapscope::guard

namespace mmapscope {

std::size_t liveMappings(std::span<MappedRange> out) noexcept {
    std::size_t found = 0;
    const int count = guard::highest.load();
    for (int i = 0; i < count && found < out.size(); ++i) {
        if (guard::readSlot(guard::slots[static_cast<std::size_t>(i)], out[found])) {
            ++found;
        }
    }
    return found;
}

}  // namespace mmapscope
