#pragma once

#include <utility>

#include "tactus/arbiter/client/process_tier.hpp"
#include "tactus/base/result.hpp"
#include "tactus/host/shared_memory.hpp"

namespace tactus::arbiter::exec {

/// Continues stopped processes when the process that stopped them is killed: a separate process
/// that sleeps until this one has ended, then reads what is left in `stopped()`. Without it a
/// SIGKILL of `tactus exec` at the wrong moment would leave its command stopped for ever.
///
/// It watches the process itself (a pidfd), not the end of a pipe: that would stay open as long as
/// any child holds a copy, and a child may be stopped before it can close its own.
///
/// Make it before becoming a subreaper: it must not be among the descendants to be stopped. It ends
/// with this process.
class Guardian {
 public:
  static Result<Guardian> start();

  client::StoppedProcesses& stopped() const { return memory_.as<client::StoppedProcesses>(); }

 private:
  explicit Guardian(host::SharedMemory memory) : memory_(std::move(memory)) {}
  host::SharedMemory memory_;
};

}  // namespace tactus::arbiter::exec
