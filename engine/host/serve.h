// mmapscope-worker --serve: answers `--host HOST` on the machine that has the file. Everything is decided,
// prepared and measured there, each run in a fresh worker; only what came of it goes over.
#pragma once

#include <string>

namespace mmapscope {

/// Writes kServeMark and a hello on `out`, then answers requests from `in`, one after the other, until it
/// ends or is silent for minutes. The end of `in` stops what is being done. After each record it waits for
/// `taken`, so that nothing is being sent while the next run works. `workerProgram` makes the runs.
void serveHost(int in, int out, const std::string& workerProgram);

}  // namespace mmapscope
