#include "study/attribution_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace mmapscope {
namespace {

/// Smaller insides tell nothing.
constexpr double kWorthTelling = 0.005;
/// From here on the sentence says that much is unexplained.
constexpr double kMuch = 0.10;

double number(Nanoseconds value) {
    return static_cast<double>(value.count());
}

double share(Nanoseconds part, Nanoseconds whole) {
    return whole.count() > 0 ? number(part) / number(whole) : 0;
}

bool worthTelling(Nanoseconds part, const ArmTimeFacts& f) {
    return std::abs(share(part, f.wall)) >= kWorthTelling;
}

/// Storage is waited for when it was read from; otherwise a helper thread was.
bool waitsForStorage(const ArmTimeFacts& f) {
    return f.waitKnown && f.figures.storageReadBytes.value_or(0) > 0 && worthTelling(f.wait, f);
}

std::uint64_t pagesOf(Bytes bytes) {
    return roundUp(bytes, pageSize()) / pageSize();
}

std::string pageCount(double pages) {
    const auto whole = static_cast<std::uint64_t>(std::llround(pages));
    return formatBytes(Bytes(whole * pageSize().count()));
}

/// Pages that one of the source's own faults brought in, on the mean.
double pagesPerFault(const ArmTimeFacts& f) {
    return f.ownFaults < 1 ? 0 : static_cast<double>(pagesOf(f.bytes)) / f.ownFaults;
}

std::string faultWords(const ArmTimeFacts& f) {
    if (f.ownFaults < 1) {
        return "no fault of the source's own";
    }
    const double pages = pagesPerFault(f);
    return fmt::format("{:.0f} faults, {} each", f.ownFaults,
                       pages < 1.5 ? std::string("a page") : pageCount(pages));
}

std::string clocked(const ArmTimeFacts& f, std::string_view what) {
    return fmt::format("{}, clocked in {} runs of the arm", what, f.rounds);
}

AttributedTime storageWait(Nanoseconds time) {
    return {"storage_wait", time, "wall time without CPU time and run-queue delay of the thread", {}};
}

void addRest(AttributedTime& part, std::string_view name, std::string basis) {
    Nanoseconds rest = part.time;
    for (const AttributedTime& inside : part.inside) {
        rest -= inside.time;
    }
    part.inside.push_back({std::string(name), rest, std::move(basis), {}});
}

AttributedTime openPart(const ArmTimeFacts& f, Nanoseconds wait) {
    AttributedTime part{"open", f.open, clocked(f, "open, map, copy in"), {}};
    if (!worthTelling(f.open, f)) {
        return part;
    }
    const Nanoseconds allocation = std::min(f.hugeAllocation, f.open);
    if (allocation.count() > 0) {
        part.inside.push_back({"huge_allocation",
                               allocation,
                               "each stretch of huge pages allocated before it was filled, and clocked",
                               {}});
    }
    if (wait.count() > 0) {
        part.inside.push_back(storageWait(wait));
    }
    if (f.mapsLazily) {
        addRest(part, "minor_faults", "entering the file's pages into the page table");
    } else {
        addRest(part, "copy",
                f.ownFaults >= 1
                    ? fmt::format("the rest: copying, and {:.0f} faults of the memory copied to", f.ownFaults)
                    : std::string("the rest: copying"));
    }
    return part;
}

AttributedTime deliverPart(const ArmTimeFacts& f, Nanoseconds wait) {
    AttributedTime part{"deliver", f.deliver, clocked(f, "inside Source::next()"), {}};
    if (!worthTelling(f.deliver, f)) {
        return part;
    }
    if (f.open < f.hugeAllocation) {
        part.inside.push_back({"huge_allocation", f.hugeAllocation - f.open, "clocked on its own", {}});
    }
    if (wait.count() > 0) {
        part.inside.push_back(storageWait(wait));
    }
    if (f.overlap < f.deliver / 20) {
        addRest(part, f.mapsLazily ? "mapping" : "copy",
                f.mapsLazily ? "the rest: mapping and unmapping pieces, and what their advice does at once"
                             : "the rest of it");
    }
    return part;
}

/// What scanning the mapping costs less than memory (its pages may be larger than memory's) is no time a
/// workload that computes more would save: it counts as none.
AttributedTime touchPart(const ArmTimeFacts& f, Nanoseconds wait) {
    std::string basis = "the source under scan less memory under scan, paired by round";
    if (f.touch.count() < 0) {
        basis += fmt::format(": {} less, counted as none", formatDuration(-f.touch));
    }
    if (wait.count() > 0) {
        basis += "; and the arm's own waiting";
    }
    AttributedTime part{"touch", std::max(f.touch, Nanoseconds(0)) + wait, std::move(basis), {}};
    if (!worthTelling(part.time, f)) {
        return part;
    }
    if (wait.count() > 0) {
        part.inside.push_back(storageWait(wait));
    }
    addRest(part, "minor_faults",
            faultWords(f) + "; with what its pages cost the caches and the TLB more than memory does");
    return part;
}

AttributedTime handoverPart(const ArmTimeFacts& f) {
    return {"handover",
            f.touch,
            "the work on this source's spans less the work on memory, paired by round: how long spans are "
            "and where they lie (caches, page sizes)",
            {}};
}

std::string bandwidth(Bytes bytes, Nanoseconds time) {
    return time.count() <= 0 ? std::string()
                             : fmt::format("{:.1f} GiB/s", static_cast<double>(bytes.count()) /
                                                               (number(time) / 1e9) / (1U << 30U));
}

std::string most(const std::string& arm, const ArmTimeFacts& f, std::string_view what, Nanoseconds time) {
    return fmt::format("{} spends {} of {} {}", arm, formatDuration(time), formatDuration(f.wall), what);
}

Nanoseconds insideOf(const Attribution& a, std::string_view part, std::string_view inside) {
    for (const AttributedTime& p : a.parts) {
        for (const AttributedTime& i : p.inside) {
            if (p.name == part && i.name == inside) {
                return i.time;
            }
        }
    }
    return Nanoseconds(0);
}

/// The largest of what isn't the work itself.
const AttributedTime* largestOfTheSource(const Attribution& a) {
    const AttributedTime* largest = nullptr;
    for (const AttributedTime& part : a.parts) {
        const bool own = part.name != "workload" && part.name != "overlap";
        if (own && (largest == nullptr || part.time > largest->time)) {
            largest = &part;
        }
    }
    return largest;
}

/// The clocks around the source slow nothing: runs that took that much longer or shorter met another machine.
constexpr double kOtherMoment = 0.10;

/// Where more is unexplained than any part takes, no part may be named as the reason.
std::string unexplainedWords(const std::string& arm, const ArmTimeFacts& f, const Attribution& a) {
    const double apart = share(f.splitWall - f.wall, f.wall);
    std::string words = fmt::format("Of the {} that {} takes, {} are told by no part", formatDuration(f.wall),
                                    arm, formatDuration(a.unexplained));
    if (a.unexplained.count() < 0) {
        words = fmt::format("The parts of {} add up to {:.0f} % more than the {} it takes", arm,
                            -100 * share(a.unexplained, f.wall), formatDuration(f.wall));
    }
    if (std::abs(apart) >= kOtherMoment) {
        return words + fmt::format(
                           ": the runs that were taken apart took {}. The machine was not the same "
                           "then; measure again when it is quiet.",
                           formatDuration(f.splitWall));
    }
    return words + ": don't read reasons out of them.";
}

std::string touchWords(const std::string& arm, const ArmTimeFacts& f, Nanoseconds time) {
    std::string words =
        most(arm, f, fmt::format("touching pages that are mapped only then: {}", faultWords(f)), time);
    const double pages = pagesPerFault(f);
    // Fault-around maps 64 KiB of small folios at once; more per fault shows larger folios.
    constexpr double kFaultAround = 16.5;
    if (f.figures.majorFaults.value_or(0) >= 1) {
        words += fmt::format(", {:.0f} of them from storage", *f.figures.majorFaults);
    } else if (f.ownFaults >= 1 && pages <= kFaultAround) {
        words +=
            ". The page cache holds this file in small folios; a file that was evicted and read again in "
            "order has larger ones where the filesystem makes them, and then faults less often";
    }
    return words;
}

std::string openWords(const std::string& arm, const ArmTimeFacts& f, const Attribution& a, Nanoseconds time) {
    std::string words = most(arm, f, "before the first byte is there", time);
    const Nanoseconds allocation = insideOf(a, "open", "huge_allocation");
    const Nanoseconds copy = insideOf(a, "open", "copy");
    if (allocation.count() > 0) {
        words += fmt::format(": {} allocating huge pages, {} copying ({})", formatDuration(allocation),
                             formatDuration(copy), bandwidth(f.bytes, copy));
    } else if (copy.count() > 0) {
        words += fmt::format(": {} copying ({})", formatDuration(copy), bandwidth(f.bytes, copy));
    } else if (f.mapsLazily) {
        words += fmt::format(": all {} pages are entered into the page table at once", pagesOf(f.bytes));
    }
    return words;
}

}  // namespace

std::vector<AttributedTime> attributedParts(const ArmTimeFacts& f) {
    // A thread that waits for storage does so where its bytes come in.
    const Nanoseconds wait = waitsForStorage(f) ? f.wait : Nanoseconds(0);
    const bool inOpen = f.open > f.deliver && f.open > f.wall / 4;
    const Nanoseconds none{0};
    std::vector<AttributedTime> parts;
    parts.push_back(openPart(f, inOpen ? std::min(wait, f.open) : none));
    parts.push_back(deliverPart(f, !inOpen && !f.mapsLazily ? std::min(wait, f.deliver) : none));
    parts.push_back({"close", f.close, clocked(f, "unmap, close"), {}});
    parts.push_back({"workload", f.workload, "the same work over the same bytes in memory", {}});
    if (f.mapsLazily) {
        parts.push_back(touchPart(f, inOpen ? none : wait));
    } else if (!f.ceiling) {
        parts.push_back(handoverPart(f));
    }
    if (worthTelling(f.overlap, f)) {
        parts.push_back(
            {"overlap", f.overlap, "CPU time of the source's helper threads, beside the rest", {}});
    }
    return parts;
}

std::string attributionSentence(const std::string& arm, const ArmTimeFacts& f, const Attribution& a) {
    const AttributedTime* const largest = largestOfTheSource(a);
    if (largest != nullptr && share(largest->time, f.wall) > 1) {
        return unexplainedWords(arm, f, a);
    }
    const Nanoseconds unnamed = Nanoseconds(std::abs(a.unexplained.count()));
    if (share(unnamed, f.wall) >= kMuch && (largest == nullptr || unnamed > largest->time)) {
        return unexplainedWords(arm, f, a);
    }
    std::string words;
    const Nanoseconds waiting =
        largest == nullptr ? Nanoseconds(0) : insideOf(a, largest->name, "storage_wait");
    if (largest == nullptr || share(largest->time, f.wall) < 0.02) {
        words =
            fmt::format("{} spends nearly all of its {} in the work itself: getting at its bytes costs {}",
                        arm, formatDuration(f.wall),
                        largest == nullptr ? std::string("nothing") : formatDuration(largest->time));
    } else if (waiting > largest->time / 2) {
        words = most(arm, f, "waiting for storage", waiting);
    } else if (largest->name == "handover") {
        words = most(arm, f, "more in the work than memory needs, because of the spans it hands over",
                     largest->time);
    } else if (largest->name == "touch") {
        words = touchWords(arm, f, largest->time);
    } else if (largest->name == "open") {
        words = openWords(arm, f, a, largest->time);
    } else if (largest->name == "close") {
        words = most(arm, f, "taking its mapping down", largest->time);
    } else if (f.overlap >= f.deliver / 20) {
        words = most(arm, f, "waiting for its helper threads", largest->time);
    } else if (f.mapsLazily) {
        words = most(arm, f, "mapping one piece of the file after the other", largest->time);
    } else {
        words = most(arm, f, fmt::format("getting the bytes copied ({})", bandwidth(f.bytes, largest->time)),
                     largest->time);
    }
    if (f.overlap.count() > 0 && worthTelling(f.overlap, f)) {
        words += fmt::format("; helper threads worked {} beside it", formatDuration(f.overlap));
    }
    if (const double saved = -share(f.touch, f.wall); saved >= 0.02 && !f.mapsLazily) {
        words += fmt::format(
            "; what it hands over costs the work {} less than memory does, {}", formatDuration(-f.touch),
            f.handsOverBuffer ? "as it still lies in the CPU's caches" : "by larger pages or warmer caches");
    }
    if (!f.mapsLazily && share(f.touch, f.wall) >= 0.02 && largest->name != "handover") {
        words += fmt::format("; its spans cost the work {} more than memory's", formatDuration(f.touch));
    }
    words += ".";
    const double unexplained = share(a.unexplained, f.wall);
    if (std::abs(unexplained) >= kMuch) {
        words += fmt::format(" The parts add up to {:.0f} % {} than the wall time.",
                             std::abs(unexplained) * 100, unexplained > 0 ? "less" : "more");
        if (std::abs(share(f.splitWall - f.wall, f.wall)) >= kOtherMoment) {
            words += fmt::format(" The runs taken apart took {}: the machine was not the same then.",
                                 formatDuration(f.splitWall));
        }
    }
    return words;
}

}  // namespace mmapscope
