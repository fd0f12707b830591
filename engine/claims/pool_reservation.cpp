#include "claims/pool_reservation.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "probe/fields.h"
#include "probe/huge_pages.h"

namespace mmapscope {
namespace {

/// Only who may set the pool may write here.
constexpr const char* kNote = "/run/mmapscope-pool";

bool setPool(std::uint64_t pages) {
    std::ofstream out(poolDirectory(kHugePage) + "/nr_hugepages");
    out << pages << std::flush;
    return out.good();
}

std::uint64_t noted(int fd) {
    char text[24];
    const ssize_t got = ::pread(fd, text, sizeof text, 0);
    return got > 0 ? parseUnsigned(std::string_view(text, static_cast<std::size_t>(got))).value_or(0) : 0;
}

void note(int fd, std::uint64_t added) {
    const std::string text = added == 0 ? "" : std::to_string(added);
    if (::ftruncate(fd, 0) == 0) {
        (void)!::pwrite(fd, text.data(), text.size(), 0);
    }
}

/// What was added goes; what others set meanwhile stays.
void giveBack(std::uint64_t added) {
    if (const auto pool = poolOf(kHugePage); pool && added > 0) {
        const std::uint64_t now = pool->persistent();
        setPool(now > added ? now - added : 0);
    }
}

}  // namespace

Result<PoolReservation> PoolReservation::make(std::uint64_t pages) {
    auto pool = poolOf(kHugePage);
    if (!pool) {
        return tl::unexpected(pool.error());
    }
    PoolReservation made;
    made.note_ = UniqueFd(::open(kNote, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (made.note_ && ::flock(made.note_.get(), LOCK_EX | LOCK_NB) == 0) {
        giveBack(noted(made.note_.get()));
        note(made.note_.get(), 0);
        pool = poolOf(kHugePage);
    } else if (made.note_) {
        made.note_ = UniqueFd();  // another one's: its pages are not counted on
    }
    const auto refused = [&](std::string_view why) {
        return fail(ErrorKind::unavailable,
                    fmt::format("{} free huge pages of 2 MiB are needed and {} are there{}; reserve with {}",
                                pages, pool ? pool->available() : 0, why,
                                pool ? reserveCommand(*pool, pages) : poolCommand(kHugePage, pages)));
    };
    if (!pool || pool->available() >= pages) {
        return pool ? Result<PoolReservation>(std::move(made)) : refused("");
    }
    if (!made.note_) {
        return refused(", and this program may not reserve them");
    }
    const std::uint64_t before = pool->persistent();
    const std::uint64_t wanted = reserveTotal(*pool, pages) - pool->surplus;
    note(made.note_.get(), wanted - before);  // before it is set, so that no kill falls between
    const bool set = setPool(wanted);
    const auto after = poolOf(kHugePage);
    made.added_ = after && after->persistent() > before ? after->persistent() - before : 0;
    note(made.note_.get(), made.added_);
    pool = after;
    if (!set || !after || after->available() < pages) {
        return refused(set ? ", and the kernel didn't find that much memory in whole pieces"
                           : ", and this program may not reserve them");
    }
    return made;
}

PoolReservation::~PoolReservation() {
    giveBack(added_);
    if (note_) {
        note(note_.get(), 0);
    }
}

}  // namespace mmapscope
