// SIGINT, SIGTERM and SIGHUP become a stop request; a second one ends the program at once.
#pragma once

#include <thread>

namespace mmapscope::cli {

/// Blocks the signals in every thread made after it and waits for them on a thread of its own, so that
/// nothing runs in a signal handler. Children inherit the mask: a Ctrl+C in the terminal reaches them through
/// us.
class SignalWatch {
  public:
    SignalWatch();
    ~SignalWatch();
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;

  private:
    std::jthread thread_;
};

}  // namespace mmapscope::cli
