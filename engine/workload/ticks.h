// The tick CSV workload's parts that others build on: `zstd` feeds it with what it decodes.
#pragma once

#include "workload/workload.h"

namespace mmapscope {

extern const WorkloadType ticksWorkload;

}  // namespace mmapscope
