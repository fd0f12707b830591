// Every workload there is, for registry.cpp alone: all others ask allWorkloads().
#pragma once

#include "workload/workload.h"

namespace mmapscope {

extern const WorkloadType scanWorkload;
extern const WorkloadType touchWorkload;
extern const WorkloadType zstdWorkload;
extern const WorkloadType piecesWorkload;
extern const WorkloadType ticksWorkload;
extern const WorkloadType csvLibraryWorkload;

}  // namespace mmapscope
