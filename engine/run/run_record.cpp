#include "run/run_record.h"

namespace mmapscope {

std::string_view name(Phase phase) {
    switch (phase) {
        case Phase::inspection:
            return "inspection";
        case Phase::warmup:
            return "warmup";
        case Phase::measured:
            break;
    }
    return "measured";
}

std::string_view name(RunStatus status) {
    switch (status) {
        case RunStatus::ok:
            return "ok";
        case RunStatus::cancelled:
            return "cancelled";
        case RunStatus::unavailable:
            return "unavailable";
        case RunStatus::failed:
            break;
    }
    return "failed";
}

std::string_view name(CacheState state) {
    switch (state) {
        case CacheState::warmSmall:
            return "warm-small";
        case CacheState::cold:
            return "cold";
        case CacheState::resident:
            return "resident";
        case CacheState::asis:
            return "asis";
        case CacheState::warm:
            break;
    }
    return "warm";
}

std::string_view name(Isolation isolation) {
    return isolation == Isolation::inProcess ? "in-process" : "worker";
}

std::optional<CacheState> cacheStateOf(std::string_view text) {
    for (const CacheState state : {CacheState::warm, CacheState::warmSmall, CacheState::cold,
                                   CacheState::resident, CacheState::asis}) {
        if (name(state) == text) {
            return state;
        }
    }
    return std::nullopt;
}

}  // namespace mmapscope
