// The worker's side of the stream.
#pragma once

#include "core/result.h"

namespace mmapscope {

/// Says hello on `out`, reads one request from `in`, executes it, sends samples while it runs and the record
/// at its end. A stop frame or the end of `in` cancels the run. Error: failed, one line, when the stream is
/// lost or holds something else than a request; it was then also sent as an error frame, if that was
/// possible.
[[nodiscard]] Status serveOneRun(int in, int out);

}  // namespace mmapscope
